"""The shell around the game: journal, MQTT, configuration, command line and the one loop."""
