import { againIfInterrupted } from '../../api/repeat.ts'
import type { ManyPreview, ManyRetries, RetryChoice } from '../retries.ts'
import type { VersionChoice } from '../retry-dialog.tsx'

/** Limit of the API. */
const maxRuns = 100

export type Previewed = ManyPreview['data'][number]
export type Retried = ManyRetries['data'][number]

export interface Piece<Item> {
  readonly items: readonly Item[]
  /** Runs that further pieces are about, as far as the API knows; 0: this was the last piece. */
  readonly left: number
}

/** Sends the next piece of a long request. After an error, the same piece is sent again. */
export type NextPiece<Item> = () => Promise<Piece<Item>>

export type Post = <Answer>(path: string, body: object, idempotencyKey?: string) => Promise<Answer>

/** Previews retries of all chosen runs: named ones, or all that match the filter now, newest first. */
export function previewsOf(choice: RetryChoice, playbook: VersionChoice, post: Post): NextPiece<Previewed> {
  const path = '/runs/retry/preview'
  if ('runs' in choice) {
    let rest = choice.runs
    return async () => {
      const { data } = await post<ManyPreview>(path, { runs: rest.slice(0, maxRuns), playbook })
      rest = rest.slice(data.length)
      return { items: data, left: rest.length }
    }
  }
  let after: string | null = null
  return async () => {
    const { filter } = choice
    const answer: ManyPreview = await post(path, { filter, playbook, ...(after !== null && { after }) })
    after = answer.next
    return { items: answer.data, left: after === null ? 0 : answer.left }
  }
}

/** Retries the runs that can be retried, as they were previewed. A piece that is sent again has no further effect. */
export function retriesOf(
  previews: readonly Previewed[],
  playbook: VersionChoice,
  post: Post,
): NextPiece<Retried> {
  let rest = previews.filter(({ error }) => error === null)
  let key = crypto.randomUUID()
  return async () => {
    const piece = rest.slice(0, maxRuns)
    const runs = piece.map(({ run_uuid: uuid }) => uuid)
    const plans = piece.flatMap(({ plan }) => (plan === null ? [] : [plan]))
    const renew = () => void (key = crypto.randomUUID())
    const send = () => post<ManyRetries>('/runs/retry', { runs, plans, playbook }, key)
    const { data } = await againIfInterrupted(send, renew)
    rest = rest.slice(data.length)
    renew()
    return { items: data, left: rest.length }
  }
}
