import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { compilePattern } from '../expression/index.ts'
import { formats } from './keywords.ts'

/** Patterns in expressions have a position; patterns in schemas have a pointer instead. */
const nowhere = { start: 0, end: 0 }

// Patterns match text written by attackers, so they run in linear time. ajv compares patterns by
// `toString()`.
const linearRegExp = Object.assign(
  (pattern: string) => {
    const compiled = compilePattern(pattern, nowhere)
    return { test: (text: string) => compiled.test(text), toString: () => pattern }
  },
  { code: 'linearRegExp' },
)

interface AjvOptions {
  readonly allErrors: boolean
  /** Every required field must be declared; catches misspelt names. */
  readonly strictRequired: boolean
  /** The schemas were validated against the meta-schema before. */
  readonly isChecked?: boolean
}

/**
 * The validator. `ownProperties`: inherited properties do not count, and `__proto__` is an ordinary field.
 * Stops at the first problem unless `allErrors`, because a hostile value could have a million problems.
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
    // `optimize` makes compiling at each start a quarter slower and checking no faster.
    code: { regExp: linearRegExp, optimize: false },
  })
  const standard = formats.filter((name) => name !== 'ip')
  addFormats.default(ajv, { mode: 'full', formats: standard as never, keywords: false })
  const addresses = [ajv.formats['ipv4'], ajv.formats['ipv6']] as readonly RegExp[]
  ajv.addFormat('ip', (text: string) => addresses.some((address) => address.test(text)))
  ajv.addKeyword({ keyword: 'patternErrorMessage', schemaType: 'string' })
  ajv.addKeyword({ keyword: 'x-secret', schemaType: 'boolean' })
  ajv.addKeyword({ keyword: 'x-sensitive', schemaType: 'boolean' })
  ajv.addKeyword({ keyword: 'x-message', schemaType: 'boolean' })
  ajv.addKeyword({ keyword: 'x-path', schemaType: 'boolean' })
  ajv.addKeyword({ keyword: 'x-accepts-sensitive', schemaType: 'boolean' })
  return ajv
}
