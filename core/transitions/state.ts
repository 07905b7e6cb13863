import { NotFoundError } from '../errors/errors.ts'

/** @throws NotFoundError `state_not_found` */
export function requireStored(
  playbook: string,
  name: string,
  key: string | undefined,
  stored: unknown,
): void {
  if (stored !== undefined && stored !== false) return
  const what = key === undefined ? `state '${name}'` : `entry '${key.slice(0, 100)}' in the state '${name}'`
  throw new NotFoundError('state_not_found', `the playbook '${playbook}' has stored no ${what}`, {
    hint: 'list its states: it may have expired, or never been set',
  })
}
