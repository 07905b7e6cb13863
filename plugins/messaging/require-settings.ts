import { ConnectionError } from 'tocsin/plugin'

/** Settings with some of the optional fields required. */
type Complete<S, Name extends keyof S> = S & { readonly [N in Name]-?: Exclude<S[N], undefined> }

/**
 * The settings, checked for fields that are optional until the app exists.
 *
 * @throws ConnectionError `connection_incomplete`, naming all missing fields
 */
export function requireSettings<S extends object, Name extends keyof S & string>(
  settings: S,
  names: readonly Name[],
): Complete<S, Name> {
  if (isComplete(settings, names)) return settings
  const missing = names.filter((name) => settings[name] === undefined)
  throw new ConnectionError('connection_incomplete', `the connection lacks ${missing.join(', ')}`, {
    hint: 'create the app from the manifest of the connection and install it, then enter its values here',
  })
}

function isComplete<S extends object, Name extends keyof S>(
  settings: S,
  names: readonly Name[],
): settings is Complete<S, Name> {
  return names.every((name) => settings[name] !== undefined)
}
