import type { ApiCheckpoint } from '../api/types.ts'

type Approval = NonNullable<ApiCheckpoint['approval']>
type Approvers = Approval['by']

/** The rule, the missing approvals, and who may approve. */
export function approvalTexts({ rule, needed, missing, by, escalation }: Approval): readonly string[] {
  const name =
    rule === null ? [] : [`Approval rule ${rule.place}${rule.name === null ? '' : `: ${rule.name}`}`]
  const people = `${needed} ${needed === 1 ? 'person' : 'different people'} must approve`
  const left = needed > 1 && missing > 0 ? `, ${missing} missing` : ''
  return [...name, `${people}${left}. ${whoText(by, escalation)}`]
}

function whoText(by: Approvers, escalation: Approval['escalation']): string {
  const who = approversText(by)
  const later = escalation === null ? '' : `; after the escalation also ${approversText(escalation.by)}`
  return `${capital(who)} may approve${later}. ${capital(anyone)} may refuse.`
}

const anyone = 'anyone who can answer'
const anyApprover = 'anyone with the permission to approve'

const capital = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`

/** `the roles admin and analyst, 2 keys`. */
function approversText({ roles, keys, accounts }: Approvers): string {
  const counted = (count: number, one: string) =>
    count === 0 ? [] : [`${count} named ${one}${count === 1 ? '' : 's'}`]
  const parts = [
    ...(roles.length === 0 ? [] : [`anyone with the role ${roles.join(' or ')}`]),
    ...counted(accounts.length, 'person').map((text) => text.replace('persons', 'people')),
    ...counted(keys.length, 'API key'),
  ]
  return parts.length === 0 ? anyApprover : parts.join(', ')
}

interface Items {
  /** The shown inputs. */
  readonly inputs: readonly unknown[]
  /** The number of all. */
  readonly count: number
}

/** The actions of an approval of several; undefined for another question. */
export function itemsOf({ approval, input }: Pick<ApiCheckpoint, 'approval' | 'input'>): Items | undefined {
  if (approval === null || typeof input !== 'object' || input === null) return undefined
  const { inputs, count } = input as { readonly inputs?: unknown; readonly count?: unknown }
  return Array.isArray(inputs) && typeof count === 'number' && count > 1 ? { inputs, count } : undefined
}

/** Whether the card shows a part of the input in another way. */
export const isShownByApproval = (checkpoint: ApiCheckpoint, name: string): boolean =>
  checkpoint.approval !== null &&
  (['skill', 'class', 'count'].includes(name) || (name === 'inputs' && itemsOf(checkpoint) !== undefined))

/** One action in one line: `domain: evil.example, action: Block`. */
export function itemText(input: unknown): string {
  if (typeof input !== 'object' || input === null) return JSON.stringify(input)
  return Object.entries(input)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ')
}

/** The text of the button that approves the selected actions. */
export const approveText = ({ count }: Items, refused: number): string =>
  refused === 0 ? `Approve all ${count}` : `Approve ${count - refused} of ${count}`
