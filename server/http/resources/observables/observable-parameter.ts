import { ValidationError } from '../../../../core/errors/errors.ts'
import { parseObservable, type ObservableKey } from '../../../../core/observable/normalize-observable.ts'
import { observableKinds } from '../../../../core/plugin/index.ts'

/** The query parameter of lists that can be filtered by an observable. */
export const observableParameter = {
  type: 'string',
  maxLength: 1_100,
  description: '`<kind>:<value>`: only rows with this observable, such as `ip:203.0.113.9`.',
} as const

/** Throws ValidationError `value_invalid`. */
export function readObservable(given: string): ObservableKey
export function readObservable(given: string | undefined): ObservableKey | undefined
export function readObservable(given: string | undefined): ObservableKey | undefined {
  if (given === undefined) return undefined
  const found = parseObservable(given)
  if (found !== undefined) return found
  const message = 'must be a kind of observable, a colon and a value of at most 500 characters'
  throw new ValidationError('value_invalid', `observable ${message}`, [{ pointer: '/observable', message }], {
    hint: `write it like ip:203.0.113.9; kinds are ${observableKinds.join(', ')}`,
  })
}
