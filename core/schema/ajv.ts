import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { compilePattern } from '../expression/index.ts'
import { formats } from './keywords.ts'

/** Expressions say where in their source a pattern stands; schemas have pointers for that. */
const nowhere = { start: 0, end: 0 }

// Patterns meet text that attackers wrote, so they run in linear time. ajv tells patterns apart by `toString()`.
const linearRegExp = Object.assign(
  (pattern: string) => {
    const compiled = compilePattern(pattern, nowhere)
    return { test: (text: string) => compiled.test(text), toString: () => pattern }
  },
  { code: 'linearRegExp' },
)

interface AjvOptions {
  readonly allErrors: boolean
  /** Every required field must be declared beside it: catches misspelt names. */
  readonly strictRequired: boolean
  /** The schemas have been compared with the schema of schemas before. */
  readonly isChecked?: boolean
}

/**
 * The validator. `ownProperties`: what a value inherits is not part of it, and `__proto__` is a field like any other.
 * Stops at the first problem unless `allErrors`; a hostile value could otherwise hold a million of them.
 */
export function createAjv(options: AjvOptions): Ajv2020 {
  const ajv = new Ajv2020({
    strict: true,
    allowUnionTypes: true,
    strictRequired: options.strictRequired,
    ownProperties: true,
    allErrors: options.allErrors,
    addUsedSchema: false,
    validateSchema: options.isChecked !== true,
    logger: false,
    // Compiling takes a quarter longer with `optimize`, at each start; checking takes as long either way.
    code: { regExp: linearRegExp, optimize: false },
  })
  addFormats.default(ajv, { mode: 'full', formats: formats as never, keywords: false })
  ajv.addKeyword({ keyword: 'patternErrorMessage', schemaType: 'string' })
  ajv.addKeyword({ keyword: 'x-secret', schemaType: 'boolean' })
  ajv.addKeyword({ keyword: 'x-sensitive', schemaType: 'boolean' })
  ajv.addKeyword({ keyword: 'x-message', schemaType: 'boolean' })
  ajv.addKeyword({ keyword: 'x-path', schemaType: 'boolean' })
  ajv.addKeyword({ keyword: 'x-accepts-sensitive', schemaType: 'boolean' })
  return ajv
}
