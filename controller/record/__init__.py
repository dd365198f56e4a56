"""Written games: what people did as a record, in two forms, made of events and put to the rules again."""
