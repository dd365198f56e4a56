// Parses an AsyncAPI document from stdin with AsyncAPI's own parser; prints what it finds as JSON.
import { readFileSync } from "node:fs";
import { Parser } from "@asyncapi/parser";

const { document, diagnostics } = await new Parser().parse(readFileSync(0, "utf8"));
const found = diagnostics.map(({ severity, code, path, message }) => ({ severity, code, path: path.join("/"), message }));
const operations = document?.allOperations().map((operation) => [
  operation.action(),
  operation.channels().all()[0].address(),
  operation.messages().all().map((message) => message.payload().json()),
]);
console.log(JSON.stringify({ diagnostics: found, operations }));
