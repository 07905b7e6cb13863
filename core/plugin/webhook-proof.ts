import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { SkillError } from './errors.ts'
import type { InboundReply, InboundRequest, InboundResult, LinkedQuestion } from './inbound.ts'
import type { Secret } from './secret.ts'

/** A signature to check. */
export interface HmacProof {
  /** The signing secret of the connection; undefined: the request is refused. */
  readonly secret: Secret | undefined
  /** What was signed; parts are joined. */
  readonly signed: string | Uint8Array | readonly (string | Uint8Array)[]
  /** As received, without prefixes such as `sha256=`. Of several, one must be valid: vendors send two while a secret is replaced. */
  readonly signature: string | undefined | readonly string[]
  /** Default `sha256`. */
  readonly algorithm?: 'sha1' | 'sha256' | 'sha512' | undefined
  /** Of the signature. Default `hex`. */
  readonly encoding?: 'hex' | 'base64' | undefined
  /** Whether the key is the secret itself, or the bytes that it encodes, after a prefix `whsec_`. Default `text`. */
  readonly key?: 'text' | 'base64' | undefined
}

/** Maximum number of signatures of a request. */
const maxSignatures = 10

/**
 * Checks the HMAC of a webhook request, in constant time. Sign the raw `body`, never JSON that was parsed and written again.
 *
 * @throws SkillError `signing_secret_missing`, `signature_missing`, `signature_invalid`
 */
export function verifyHmac(proof: HmacProof): void {
  const { secret, signed, signature, algorithm = 'sha256', encoding = 'hex', key = 'text' } = proof
  const text = revealed(secret)
  const hmac = createHmac(
    algorithm,
    key === 'text' ? text : Buffer.from(text.replace(/^whsec_/, ''), 'base64'),
  )
  for (const part of typeof signed === 'string' || signed instanceof Uint8Array ? [signed] : signed)
    hmac.update(part)
  const expected = hmac.digest(encoding)
  const given = typeof signature === 'string' ? [signature] : (signature ?? [])
  requireOne(given, (one) => (encoding === 'hex' ? one.toLowerCase() : one), expected)
}

/**
 * Checks that a request carries a secret that the operator gave to the vendor, such as a header or the password of HTTP Basic.
 * A signature is better: it covers the body.
 *
 * @throws SkillError `signing_secret_missing`, `signature_missing`, `signature_invalid`
 */
export function verifySecret(given: string | undefined, secret: Secret | undefined): void {
  const expected = revealed(secret)
  requireOne(given === undefined ? [] : [given], (one) => one, expected)
}

/**
 * Checks that the time in a signed request is at most `toleranceMs` before or after `nowMs`, so that a recorded request cannot be sent
 * again later.
 *
 * @param time epoch seconds or milliseconds, or an ISO 8601 time; part of what is signed
 * @param toleranceMs default 300,000
 * @throws SkillError `signature_stale`
 */
export function verifyRecent(
  time: string | number | undefined,
  nowMs: number,
  toleranceMs: number = 300_000,
): void {
  if (Math.abs(nowMs - epochMs(time)) <= toleranceMs) return
  throw new SkillError(
    'signature_stale',
    `the time of the request is missing, or more than ${toleranceMs / 1_000} s from now`,
    {
      hint: 'check the clock of this machine',
    },
  )
}

/** Seconds have 10 digits until the year 2286. */
function epochMs(time: string | number | undefined): number {
  const text = String(time ?? '').trim()
  if (/^\d{1,11}(\.\d{1,9})?$/.test(text)) return Number(text) * 1_000
  if (/^\d{12,15}$/.test(text)) return Number(text)
  return /^\d{4}-\d{2}-\d{2}T[\d:.]{5,18}(Z|[+-]\d{2}:?\d{2})$/.test(text) ? Date.parse(text) : Number.NaN
}

function revealed(secret: Secret | undefined): string {
  const text = secret?.reveal() ?? ''
  if (text !== '') return text
  throw new SkillError(
    'signing_secret_missing',
    'the connection has no secret that proves webhook requests',
    {
      hint: 'enter the signing secret of the other system in the connection',
    },
  )
}

function requireOne(given: readonly string[], normal: (one: string) => string, expected: string): void {
  const named = given.filter((one) => one !== '').slice(0, maxSignatures)
  if (named.length === 0) throw new SkillError('signature_missing', 'the request carries no signature')
  // Hashed first: texts of different lengths take the same time.
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  const wanted = digest(expected)
  if (named.filter((one) => timingSafeEqual(digest(normal(one)), wanted)).length > 0) return
  throw new SkillError('signature_invalid', 'the signature of the request is invalid', {
    hint: 'compare the signing secret of the connection with that of the other system',
  })
}

/** Names in the query of a link. */
const linkNames = { checkpointId: 'q', by: 'p', value: 'a', signature: 's' } as const

/** The parts cannot run into each other. */
const signedText = ({ checkpointId, by, value }: LinkedQuestion): string =>
  `tocsin answer v1\n${JSON.stringify([checkpointId, by, value])}`

/**
 * A link that gives one answer of one person to one question. It holds no state: whether it is still of use is decided by
 * the question.
 *
 * @param address of the webhook, with its token
 */
export function answerLink(address: string, question: LinkedQuestion, secret: Secret): string {
  const url = new URL(address)
  for (const name of ['checkpointId', 'by', 'value'] as const)
    url.searchParams.set(linkNames[name], question[name])
  const hmac = createHmac('sha256', secret.reveal()).update(signedText(question))
  url.searchParams.set(linkNames.signature, hmac.digest('hex'))
  return url.href
}

/** @throws SkillError `link_invalid`, `signing_secret_missing`, `signature_missing`, `signature_invalid` */
export function readAnswerLink(
  query: Readonly<Record<string, string>>,
  secret: Secret | undefined,
): LinkedQuestion {
  const { q: checkpointId = '', p: by = '', a: value = '', s: signature } = query
  const question = { checkpointId, by, value }
  verifyHmac({ secret, signed: signedText(question), signature })
  if (checkpointId !== '' && by !== '' && value !== '') return question
  throw new SkillError('link_invalid', 'the link is not complete')
}

/** Settings of a connection whose questions have links. */
interface LinkSettings {
  readonly link_secret?: Secret | undefined
}

const maxComment = 2_000

/**
 * The handshake of the webhook of {@link answerLink}. A person or a mail scanner opened a link, so nothing is
 * answered.
 */
export const showLinkedQuestion = (
  { query }: InboundRequest,
  { link_secret }: LinkSettings,
): InboundReply => ({
  question: readAnswerLink(query, link_secret),
})

/** The handler of that webhook. The button on the page of a link was pressed; without it, the page is shown again. */
export function readLinkedAnswer(
  { query, text }: InboundRequest,
  { link_secret }: LinkSettings,
): InboundResult {
  const question = readAnswerLink(query, link_secret)
  const form = new URLSearchParams(text)
  const reply = { question }
  if (form.get('answer') !== 'confirmed') return { reply }
  const comment = (form.get('comment') ?? '').replaceAll('\r\n', '\n').trim().slice(0, maxComment)
  return { reply, answers: [{ ...question, ...(comment !== '' && { text: comment.toWellFormed() }) }] }
}
