/**
 * JSON Schema (draft 2020-12): compiling, checking with readable problems, defaults. The only place that
 * knows ajv.
 */
export { compileCheckedSchema, compileSchema } from './compile.ts'
export type { CompiledSchema } from './compile.ts'
export { loadSchemaFolder } from './files.ts'
export { checkKeywords, formats, keywordNames } from './keywords.ts'
export { nearest } from '../common/nearest.ts'
export { formatPointer } from './pointer.ts'
export { summarize, validate, withDefaults } from './validate.ts'
