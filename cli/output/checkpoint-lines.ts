import { paint } from './paint.ts'
import { printable, printableJson, printableLines } from './printable.ts'

/** The printed fields of a checkpoint (`schemas/checkpoint.schema.json`). */
export interface ShownCheckpoint {
  readonly checkpoint_id: string
  readonly organization_code: string
  readonly playbook: string
  readonly run_uuid: string
  readonly alert_id: string | null
  readonly case_id: string | null
  readonly path: string
  readonly input: unknown
  readonly asked: string | null
  readonly asked_name: string | null
  readonly answers: readonly { readonly value: string; readonly label: string }[] | null
  readonly form: unknown
  readonly timeout_at: number
  /** Default: null. */
  readonly approval?: {
    readonly rule: { readonly place: number; readonly name: string | null } | null
    readonly needed: number
    readonly missing: number
  } | null
  readonly on_timeout: { readonly fails: boolean; readonly answer: unknown } | null
  readonly answer: {
    readonly value: unknown
    readonly label: string | null
    readonly by: string
    readonly by_name: string | null
    readonly actor: { readonly kind: string; readonly id: string }
    readonly text: string | null
    readonly at: number
  } | null
}

/** A checkpoint for the terminal: question, person, possible answers, deadline, and the given answer. */
export function checkpointLines(checkpoint: ShownCheckpoint): readonly string[] {
  const { checkpoint_id: id, input, alert_id: alert, case_id: caseId, answer } = checkpoint
  const message = (input as { readonly message?: unknown } | null)?.message
  const asked = checkpoint.asked_name ?? checkpoint.asked
  const about = [checkpoint.organization_code, alert, caseId && `case ${caseId}`, checkpoint.playbook]
  const lines = [
    ...(typeof message === 'string' ? message : printableJson(input)).split('\n'),
    about.filter((part) => part !== null).join(' · ') + ` · run ${checkpoint.run_uuid} at ${checkpoint.path}`,
    ...itemLines(input),
    ...approvalLines(checkpoint),
    ...(asked === null ? [] : [`asked: ${asked}`]),
    ...(answer === null ? openLines(checkpoint) : [`answered: ${answerText(answer)}`]),
  ]
  return [paint.strong(printable(id)), ...lines.map((line) => `  ${printableLines(line)}`)]
}

/** Items printed of one question. */
const maxItems = 100

/** The actions of an approval of several, with the numbers of `tocsin answer --refuse`. */
function itemLines(input: unknown): readonly string[] {
  const { inputs, count } = (input ?? {}) as { readonly inputs?: unknown; readonly count?: unknown }
  if (!Array.isArray(inputs) || typeof count !== 'number') return []
  const lines = inputs.slice(0, maxItems).map((each, index) => `${index + 1}. ${JSON.stringify(each)}`)
  return count > lines.length ? [...lines, `and ${count - lines.length} more`] : lines
}

function approvalLines({ approval }: ShownCheckpoint): readonly string[] {
  if (approval == null) return []
  const { rule, needed, missing } = approval
  const name =
    rule === null ? '' : `, approval rule ${rule.place}${rule.name === null ? '' : ` (${rule.name})`}`
  return [`approvals: ${needed - missing} of ${needed}${name}`]
}

function openLines({ answers, form, timeout_at: until, on_timeout: silence }: ShownCheckpoint): string[] {
  const words = answers?.map(({ value, label }) => (value === label ? value : `${value} ("${label}")`))
  const then =
    silence === null ? '' : silence.fails ? ', then it fails' : `, then ${JSON.stringify(silence.answer)}`
  return [
    words === undefined ? `form: ${JSON.stringify(form)}` : `answers: ${words.join(', ')}`,
    `until: ${isoTime(until)}${then}`,
  ]
}

function answerText({
  value,
  label,
  by,
  by_name: name,
  actor,
  text,
  at,
}: NonNullable<ShownCheckpoint['answer']>) {
  const said =
    label === null || label === value ? JSON.stringify(value) : `${JSON.stringify(value)} ("${label}")`
  const who =
    actor.kind === 'api_key' ? `${by} (API key ${actor.id})` : name === null ? by : `${name} (${by})`
  return `${said} by ${who} at ${isoTime(at)}${text === null ? '' : `: ${JSON.stringify(text)}`}`
}

const isoTime = (ms: number): string => new Date(ms).toISOString()
