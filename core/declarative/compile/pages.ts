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
import type { DeclaredPaging, DeclaredPoll, DeclaredRequest, DeclaredSkill } from '../language/declared.ts'
import { conditionHolds, type Send } from './request.ts'
import { answerValue, notAList, outputOf, programResult, reading, valueOf, type Values } from './values.ts'

/** Reads a list page after page. */
export async function runPages(
  { request, mapping }: DeclaredSkill,
  paging: DeclaredPaging,
  values: Values,
  send: Send,
): Promise<unknown> {
  const { size: pageSize, id } = paging
  let last: HttpResponse | undefined
  const { items, complete, total } = await collectPages<unknown>({
    limit: limitOf(paging, values),
    pageSize,
    ...(id && { idOf: (item: unknown) => JSON.stringify(programResult(id, { item })) ?? '' }),
    async fetch(page) {
      last = await fetchPage(request, paging, page, values, send)
      return pageOf(last, paging, values)
    },
  })
  return reading(last!, () => outputOf(mapping, { ...values, items, complete, total }))
}

function fetchPage(
  request: DeclaredRequest,
  { kind, parameter, first, sizeParameter }: DeclaredPaging,
  { offset, number, size, cursor }: PageRequest,
  values: Values,
  send: Send,
): Promise<HttpResponse> {
  const ofSize = sizeParameter === undefined ? {} : { [sizeParameter]: size }
  switch (kind) {
    case 'offset':
      return send(request, values, { query: { ...ofSize, [parameter]: offset } })
    case 'page':
      return send(request, values, { query: { ...ofSize, [parameter]: number - 1 + first } })
    case 'cursor':
      return send(request, values, {
        query: { ...ofSize, ...(cursor !== undefined && { [parameter]: cursor }) },
      })
    case 'next':
    case 'link':
      // The address of a further page has the whole query.
      return cursor === undefined
        ? send(request, values, { query: ofSize })
        : send({ ...request, path: { kind: 'text', text: cursor }, query: [] }, values)
  }
}

const pageOf = (response: HttpResponse, paging: DeclaredPaging, values: Values): AnnouncedPage<unknown> =>
  reading(response, () => {
    const answered = { ...values, response: answerValue(response) }
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

/** The margin before the deadline of the step, so that the error can still be reported. */
const marginMs = 1000

/**
 * Asks until the operation has ended; gives the last answer.
 *
 * @throws SkillError `operation_failed`; `operation_unfinished` after the timeout of a write, whose outcome is open, or
 *   RetryableError `operation_unfinished` of a read
 */
export async function pollUntilDone(
  { effect }: DeclaredSkill,
  { request, until, failed, everyMs, timeoutMs }: DeclaredPoll,
  values: Values,
  send: Send,
  { signal, deadlineMs, nowMs }: SkillContext,
): Promise<HttpResponse> {
  const startedMs = performance.now()
  const allowedMs = Math.min(timeoutMs, deadlineMs - nowMs - marginMs)
  for (;;) {
    const response = await send(request, values)
    const answered = { ...values, response: answerValue(response) }
    if (failed !== undefined && conditionHolds(failed, answered))
      throw new SkillError('operation_failed', 'the operation has failed in the other system', {
        hint: 'look it up in the other system',
      })
    if (conditionHolds(until, answered)) return response
    if (performance.now() - startedMs + everyMs > allowedMs) throw unfinished(effect, allowedMs)
    await sleep(everyMs, undefined, { signal })
  }
}

function unfinished(effect: DeclaredSkill['effect'], ms: number): Error {
  const message = `the operation has not ended within ${Math.max(0, Math.round(ms / 1000))} s`
  const hint = 'raise the timeout of the step, or look the operation up in the other system'
  return effect === 'write'
    ? new SkillError('operation_unfinished', message, { hint, effect: 'unknown' })
    : new RetryableError('operation_unfinished', message, { hint })
}
