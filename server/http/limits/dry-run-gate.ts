import { TimeoutError } from '../../../core/errors/errors.ts'
import { RequestError } from '../request/request-error.ts'

/**
 * Limits the load of dry runs and playbook tests on the server and on the systems that dry runs read from.
 */
export interface DryRunGate {
  /**
   * Does the work unless the organization already has a running one, or the limit of the server is reached.
   * Its signal is aborted at the timeout, when the caller disconnects, or when the server closes; the work
   * must then end soon.
   *
   * @throws RequestError `dry_runs_full`, and `not_ready` if the server is closing; TimeoutError
   * `dry_run_timeout`
   */
  through<T>(
    organizationUuid: string,
    gone: AbortSignal,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T>
}

/** Maximum at the same time, each of a different organization. */
const maxAtOnce = 4

/** Timeout in milliseconds of a dry run with all its paths, or of all tests of a playbook. */
const defaultDeadlineMs = 60_000

export function createDryRunGate(closing: AbortSignal, deadlineMs = defaultDeadlineMs): DryRunGate {
  const underWay = new Set<string>()
  return {
    async through(organizationUuid, gone, work) {
      if (underWay.has(organizationUuid))
        throw full('A dry run or test run of the organization is already in progress.')
      if (underWay.size >= maxAtOnce)
        throw full(`${maxAtOnce} dry runs or test runs are already in progress.`)
      underWay.add(organizationUuid)
      const deadline = new AbortController()
      const timer = setTimeout(() => deadline.abort(tooLate(deadlineMs)), deadlineMs)
      const signal = AbortSignal.any([deadline.signal, gone, closing])
      try {
        return await work(signal)
      } catch (error) {
        if (closing.aborted) throw new RequestError('not_ready', 'The server is closing.')
        signal.throwIfAborted()
        throw error
      } finally {
        clearTimeout(timer)
        underWay.delete(organizationUuid)
      }
    },
  }
}

function full(message: string): RequestError {
  return new RequestError('dry_runs_full', message, {
    hint: 'send the request again after the time in Retry-After',
    headers: { 'retry-after': '5' },
  })
}

function tooLate(deadlineMs: number): TimeoutError {
  return new TimeoutError(
    'dry_run_timeout',
    `the dry run or the tests did not end within ${deadlineMs / 1_000} seconds`,
    {
      hint: 'use shorter lists; in a dry run, give `answers` to checkpoints, so that fewer paths are tried',
    },
  )
}
