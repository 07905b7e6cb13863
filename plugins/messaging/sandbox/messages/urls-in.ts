import { textAt, valueAt } from 'tocsin/plugin'
import type { CallbackUrls } from './callbacks.ts'

/** The addresses that an app's manifest names. */
export function urlsIn(manifest: unknown): CallbackUrls {
  const settings = valueAt(manifest, 'settings')
  const events = textAt(valueAt(settings, 'event_subscriptions'), 'request_url')
  const interactions = textAt(valueAt(settings, 'interactivity'), 'request_url')
  if (events === null || interactions === null)
    throw new Error('the manifest names no addresses for events and interactions')
  return { events, interactions }
}
