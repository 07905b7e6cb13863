import { setTimeout as sleep } from 'node:timers/promises'
import {
  collectPages,
  nextLink,
  RetryableError,
  SkillError,
  type AnnouncedPage,
  type HttpResponse,
  type PageRequest,
  type SkillContext,
} from '../../plugin/index.ts'
import type { Template } from '../../playbook/language/playbook.ts'
import type {
  DeclaredDetails,
  DeclaredPaging,
  DeclaredPoll,
  DeclaredRequest,
  DeclaredSkill,
} from '../language/declared.ts'
import { conditionHolds, type Sender } from './request.ts'
import { notAList, outputOf, programResult, textValue, valueOf, type Values } from './values.ts'

/** Reads a list page after page. */
export async function runPages(
  { request, mapping, notFound, details }: DeclaredSkill,
  paging: DeclaredPaging,
  values: Values,
  sender: Sender,
  isMissing: (response: HttpResponse) => boolean,
): Promise<unknown> {
  const { size: pageSize, id } = paging
  const accept = notFound?.statuses ?? []
  let last: HttpResponse | undefined
  let missing: HttpResponse | undefined
  const { items, complete, total } = await collectPages<unknown>({
    limit: limitOf(paging, values),
    pageSize,
    ...(id && { idOf: (item: unknown) => JSON.stringify(programResult(id, { item })) ?? '' }),
    async fetch(page) {
      last = await fetchPage(
        { ...request, accept: [...request.accept, ...accept] },
        paging,
        page,
        values,
        sender,
      )
      if (isMissing(last)) {
        missing = last
        return { items: [], more: false }
      }
      return pageOf(last, paging, values, sender)
    },
  })
  if (missing !== undefined && notFound !== undefined)
    return outputOf(notFound.mapping, { ...values, response: sender.answer(missing) })
  const read = details ? await detailsOf(items, details, values, sender) : { items, last: last! }
  return sender.reading(read.last ?? last!, () =>
    outputOf(mapping, { ...values, items: read.items, complete, total }),
  )
}

/** The details of listed ids, and the last answer; undefined if there are no ids. */
async function detailsOf(
  ids: readonly unknown[],
  { request, size, items }: DeclaredDetails,
  values: Values,
  { send, answer, reading }: Sender,
): Promise<{ readonly items: readonly unknown[]; readonly last: HttpResponse | undefined }> {
  const all: unknown[] = []
  let last: HttpResponse | undefined
  for (let at = 0; at < ids.length; at += size) {
    const asked = { ...values, ids: ids.slice(at, at + size) }
    const response = await send(request, asked, { reads: true })
    const found = reading(response, () => programResult(items, { ...asked, response: answer(response) }))
    if (!Array.isArray(found)) throw notAList(items.source)
    for (const one of found) all.push(one)
    last = response
  }
  return { items: all, last }
}

function fetchPage(
  request: DeclaredRequest,
  { kind, parameter, first, sizeParameter, place }: DeclaredPaging,
  { offset, number, size, cursor }: PageRequest,
  values: Values,
  { send }: Sender,
): Promise<HttpResponse> {
  // The address of a further page has the whole query.
  if ((kind === 'next' || kind === 'link') && cursor !== undefined)
    return send({ ...request, path: { kind: 'text', text: cursor }, query: [] }, values)
  const ofSize = sizeParameter === undefined ? {} : { [sizeParameter]: size }
  const position = { offset, page: number - 1 + first, cursor, next: undefined, link: undefined }[kind]
  const parameters = { ...ofSize, ...(position !== undefined && { [parameter]: position }) }
  return send(request, values, { [place]: parameters })
}

const pageOf = (
  response: HttpResponse,
  paging: DeclaredPaging,
  values: Values,
  { answer, reading }: Sender,
): AnnouncedPage<unknown> =>
  reading(response, () => {
    const answered = { ...values, response: answer(response) }
    const { kind, items, total, next } = paging
    const list = programResult(items, answered)
    if (!Array.isArray(list)) throw notAList(items.source)
    const announced = total && programResult(total, answered)
    return {
      items: list as readonly unknown[],
      total: typeof announced === 'number' ? announced : null,
      ...(next && { next: nextOf(programResult(next, answered), response, kind) }),
      ...(kind === 'link' && { next: nextLink(response) }),
    }
  })

/** The cursor, or the absolute address, of the next page. */
function nextOf(value: unknown, { url }: HttpResponse, kind: DeclaredPaging['kind']): string | undefined {
  if (value === null || value === undefined || value === '' || value === false) return undefined
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'bigint')
    throw new SkillError('bad_response', 'the cursor of the next page is not a string or a number', {
      hint: 'the other system may have changed: report it to the author of the plugin',
    })
  const text = String(value)
  return kind === 'next' ? (URL.parse(text, url)?.href ?? text) : text
}

function limitOf({ limit }: DeclaredPaging, values: Values): number {
  const value = valueOf(limit, values)
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1) return value
  throw new SkillError('bad_request', 'the limit of items must be a whole number from 1', {
    hint: 'check the inputs of the step',
  })
}

/** How to poll the state of an operation. */
interface PollRequests extends Pick<Sender, 'answer' | 'reading'> {
  readonly ask: () => Promise<HttpResponse>
  /** Whether an answer says that the object does not exist, which ends the wait. */
  readonly isMissing: (response: HttpResponse) => boolean
}

/** The margin before the deadline of the step, so that the error can still be reported. */
const marginMs = 1000

/**
 * Polls until the operation ends; returns the last answer.
 *
 * @throws SkillError `operation_failed`; `operation_unfinished` after the timeout of a write, whose outcome
 * is unknown, or
 *   RetryableError `operation_unfinished` of a read
 */
export async function pollUntilDone(
  { effect }: DeclaredSkill,
  { until, failed, message, everyMs, timeoutMs }: DeclaredPoll,
  values: Values,
  { ask, answer, reading, isMissing }: PollRequests,
  { signal, deadlineMs, nowMs }: SkillContext,
): Promise<HttpResponse> {
  const startedMs = performance.now()
  const allowedMs = Math.min(timeoutMs, deadlineMs - nowMs - marginMs)
  for (;;) {
    const response = await ask()
    if (isMissing(response)) return response
    const answered = { ...values, response: answer(response) }
    if (failed !== undefined && conditionHolds(failed, answered))
      throw new SkillError(
        'operation_failed',
        reading(response, () => failureText(message, answered)),
        {
          hint: 'look it up in the other system',
        },
      )
    if (conditionHolds(until, answered)) return response
    if (performance.now() - startedMs + everyMs > allowedMs) throw unfinished(effect, allowedMs)
    await sleep(everyMs, undefined, { signal })
  }
}

const failureText = (message: Template | undefined, values: Values): string =>
  textValue(message, values)?.slice(0, 300) ?? 'the operation has failed in the other system'

function unfinished(effect: DeclaredSkill['effect'], ms: number): Error {
  const message = `the operation has not ended within ${Math.max(0, Math.round(ms / 1000))} s`
  const hint = 'raise the timeout of the step, or look the operation up in the other system'
  return effect === 'write'
    ? new SkillError('operation_unfinished', message, { hint, effect: 'unknown' })
    : new RetryableError('operation_unfinished', message, { hint })
}
