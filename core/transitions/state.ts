import { NotFoundError } from '../errors/errors.ts'

export function stateNotFound(playbook: string, name: string, key?: string): NotFoundError {
  const what =
    key === undefined
      ? `state '${name.slice(0, 100)}'`
      : `entry '${key.slice(0, 100)}' in the state '${name.slice(0, 100)}'`
  return new NotFoundError('state_not_found', `the playbook '${playbook}' has stored no ${what}`, {
    hint: 'list its states: it may have expired, or never been set',
  })
}
