import type { Failure, SandboxReply } from '../../core/plugin/testing/index.ts'

/** Failures of the test kit, in the words of its documentation. */
const failures: Readonly<Record<Failure, string>> = {
  reset: 'the connection is cut',
  hang: 'no answer ever comes',
  drip: 'an answer comes byte by byte, without end',
  garbage: 'an answer that is no JSON',
  huge: 'more than anybody reads',
  gzip_bomb: 'little that unfolds into as much',
}

/** Every way to fail that can be typed, with what it means. */
export function faultWords(own: Readonly<Record<string, SandboxReply>> = {}): readonly (readonly string[])[] {
  return [
    ['400 to 599', 'this status; 429 asks for two seconds of patience'],
    ...Object.entries(failures),
    ...Object.entries(own).map(([name, { status = 200 }]) => [name, `as the system itself fails: ${status}`]),
  ]
}

/**
 * What was typed as a way to fail: a status, a failure, or one of the system's own faults.
 *
 * @throws Error when it is none of them
 */
export function chooseFault(
  typed: string,
  own: Readonly<Record<string, SandboxReply>> = {},
): SandboxReply | Failure {
  const wanted = typed.toLowerCase()
  if (Object.hasOwn(failures, wanted)) return wanted as Failure
  const [, reply] = Object.entries(own).find(([name]) => name.toLowerCase() === wanted) ?? []
  if (reply !== undefined) return reply
  if (!/^[45]\d\d$/.test(wanted)) throw new Error(`'${typed}' is no way to fail; 'faults' lists them`)
  return {
    status: Number(wanted),
    ...(wanted === '429' ? { headers: { 'retry-after': '2' } } : {}),
    json: { error: { code: wanted, message: 'The sandbox was told to fail.' } },
  }
}
