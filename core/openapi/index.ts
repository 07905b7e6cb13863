/**
 * Plugins from OpenAPI documents: `document/` opens a document and finds its operations, `schema/` simplifies its
 * schemas, `plugin/` plans and writes the files. Text in, files out: nothing is read, fetched or written.
 */
export { maxDocumentBytes, openDocument } from './document/api-document.ts'
export type { ApiDocument, DocumentProblem } from './document/api-document.ts'
export { chooseOperations, operationsOf, searchOperations } from './document/operations.ts'
export type { ApiOperation } from './document/operations.ts'
export { generatePlugin } from './plugin/generate-plugin.ts'
