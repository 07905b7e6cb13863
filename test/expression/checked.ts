import {
  compileExpression,
  describeType,
  duration,
  dyn,
  enumeration,
  epochMilliseconds,
  integer,
  list,
  nullable,
  number,
  object,
  optional,
  string,
  timestamp,
  typeOfSchema,
  type CompileOptions,
} from '../../core/expression/index.ts'

export const names = {
  alert: object({ id: string, data: dyn }),
  now: timestamp,
  inputs: object({ within: duration }),
  b: object({
    status: enumeration(['confirmed', 'cancelled', 'pending']),
    note: optional(string),
    owner: nullable(object({ name: string })),
    owners: list(nullable(object({ name: string }))),
    parent: optional(object({ id: string, label: optional(string) })),
    'sent-at': string,
    level: optional(nullable(number)),
    made_at: epochMilliseconds,
    count: integer,
    score: number,
    tags: list(string),
    rows: list(object({ id: integer, tag: optional(string) })),
    created_at: typeOfSchema({ type: 'string', format: 'date-time' }),
  }),
}

/** The problems of an expression as `code: source: message (hint)`. */
export function problems(source: string, options?: CompileOptions): string[] {
  return compileExpression(source, names, options).problems.map(
    ({ code, message, hint, start, end }) =>
      `${code}: ${source.slice(start, end)}: ${message}${hint === undefined ? '' : ` (${hint})`}`,
  )
}

export const typeOf = (source: string): string => describeType(compileExpression(source, names).type)
