import type { ApiApprovalRules } from '../api/types.ts'

export type RuleInForm = ApiApprovalRules['rules'][number]
export type ApproversInForm = NonNullable<RuleInForm['by']>

/** A rule that an administrator adds. */
export const newRule: RuleInForm = {
  name: null,
  match: {},
  approvals: 1,
  by: { roles: [], keys: [], accounts: [] },
  expires_minutes: null,
  escalate: null,
}

/** An API key or a person who can be named in rules. */
export interface ApproverOption {
  /** `key <id>` or `account <uuid>`. */
  readonly value: string
  readonly label: string
}

/** The values of the field for keys and people. */
export const namedOf = ({ keys = [], accounts = [] }: ApproversInForm): string[] => [
  ...accounts.map((uuid) => `account ${uuid}`),
  ...keys.map((id) => `key ${id}`),
]

const idsOf = (values: readonly string[], kind: string): string[] =>
  values.flatMap((value) => (value.startsWith(`${kind} `) ? [value.slice(kind.length + 1)] : []))

export const withNamed = (by: ApproversInForm, values: readonly string[]): ApproversInForm => ({
  ...by,
  keys: idsOf(values, 'key'),
  accounts: idsOf(values, 'account'),
})

/** The list with a rule moved up by one place. */
export function movedUp<T>(list: readonly T[], index: number): readonly T[] {
  const [before, moved] = [list[index - 1], list[index]]
  if (before === undefined || moved === undefined) return list
  return list.with(index - 1, moved).with(index, before)
}

/** The errors of a rule in a refused request, each with its place in the rule. */
export function errorsOfRule(
  errors: readonly { readonly pointer?: string | undefined; readonly message: string }[] = [],
  index: number,
): readonly string[] {
  const start = `/rules/${index}`
  return errors.flatMap(({ pointer = '', message }) => {
    if (pointer !== start && !pointer.startsWith(`${start}/`)) return []
    const place = pointer
      .slice(start.length + 1)
      .replace(/^match\//, '')
      .replaceAll('_', ' ')
      .replace(/\/\d+$/, '')
      .replaceAll('/', ', ')
    return [place === '' ? message : `${place}: ${message}`]
  })
}
