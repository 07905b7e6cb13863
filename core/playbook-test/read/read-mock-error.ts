import { describe, readFields } from '../../playbook/template/fields.ts'
import type { Entry, Node } from '../../playbook/yaml/document.ts'
import type { TestContext } from './context.ts'
import { testGrammar } from './grammar.ts'
import { plainValue } from './place.ts'
import type { MockError, ReplyContent } from './playbook-test.ts'
import { readMap, readSpan, readTestString } from './read-values.ts'

/** Parses the `error` of a mock. */
export function readError({ problems }: TestContext, node: Node): ReplyContent | undefined {
  const fields = readFields(problems, node, testGrammar.error)
  if (fields === undefined) return undefined
  const code = fields.get('code')
  const message = fields.get('message')
  const hint = fields.get('hint')
  const details = fields.get('details')
  const retryAfter = fields.get('retry_after')
  const retryable = readFlag(problems, fields.get('retryable'))
  if (retryAfter && retryable !== true) {
    problems.add(
      'E112',
      '`retry_after` is for errors that may be tried again',
      retryAfter.key,
      'add retryable: true',
    )
  }
  const error: MockError = {
    code: (code && readTestString(problems, code)) ?? '',
    message: (message && readTestString(problems, message)) ?? 'as the mock says',
    hint: hint && readTestString(problems, hint),
    details:
      details && readMap(problems, details)
        ? (plainValue(details.value) as Readonly<Record<string, unknown>>)
        : undefined,
    retryable: retryable ?? false,
    retryAfterMs: retryAfter && readSpan(problems, retryAfter),
  }
  return { kind: 'error', error }
}

function readFlag(problems: TestContext['problems'], entry: Entry | undefined): boolean | undefined {
  if (entry === undefined) return undefined
  const { name, value } = entry
  if (value.kind === 'scalar' && typeof value.value === 'boolean') return value.value
  problems.add('E106', `expected true or false for \`${name}\`, found ${describe(value)}`, value)
  return undefined
}
