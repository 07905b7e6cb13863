import { expect } from 'chai'
import fc from 'fast-check'
import { SkillError, type InboundHandler } from 'tocsin/plugin'
import { messagingFixture } from '../sandbox/fixture.ts'
import { signed, signingSettings } from '../sandbox/messages/signed-request.ts'
import { readEvent } from './events.ts'
import { readInteraction } from './interactions.ts'
import type { SigningSettings } from './signature.ts'

const seed = Number(process.env['TOCSIN_TEST_SEED'] ?? 1)

/** A handler may accept any payload or refuse it with a SkillError; nothing else. */
function survives(handler: InboundHandler<SigningSettings>, text: string): void {
  try {
    expect(handler(signed(text), signingSettings)).to.be.an('object')
  } catch (error) {
    expect(error).to.be.instanceOf(SkillError)
  }
}

const formOf = (payload: string) => new URLSearchParams({ payload }).toString()
const events = [
  'event-message-im',
  'event-app-uninstalled',
  'event-bot-token-revoked',
  'event-url-verification',
]
const interactions = ['button', 'confirm', 'state', 'thread', 'view'].map(
  (name) => `interaction-block-actions-${name}`,
)

/** A recorded payload with one value replaced at a random place. */
const spoilt = (names: readonly string[]) =>
  fc.tuple(fc.constantFrom(...names), fc.nat(), fc.jsonValue()).map(([name, at, value]) => {
    const places: (() => unknown)[] = []
    const payload: unknown = structuredClone(messagingFixture(name))
    const visit = (node: unknown): void => {
      if (typeof node !== 'object' || node === null) return
      for (const key of Object.keys(node)) {
        places.push(() => ((node as Record<string, unknown>)[key] = value))
        visit((node as Record<string, unknown>)[key])
      }
    }
    visit(payload)
    places[at % places.length]?.()
    return JSON.stringify(payload)
  })

describe('an arbitrary signed request', () => {
  for (const [what, handler, texts] of [
    ['events of any JSON', readEvent, fc.json()],
    ['events of any text', readEvent, fc.string({ unit: 'binary' })],
    ['corrupted recorded events', readEvent, spoilt(events)],
    ['interactions of any JSON', readInteraction, fc.json().map(formOf)],
    ['interactions of any text', readInteraction, fc.string({ unit: 'binary' })],
    ['corrupted recorded interactions', readInteraction, spoilt(interactions).map(formOf)],
  ] as const) {
    it(`is handled or refused: ${what}`, () => {
      fc.assert(
        fc.property(texts, (text) => survives(handler, text)),
        { seed },
      )
    })
  }

  it('is handled or refused: extremely nested JSON', () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000)
    survives(readEvent, `{"type":"event_callback","event_id":"Ev1","event":${deep}}`)
    survives(readInteraction, formOf(`{"type":"block_actions","actions":${deep}}`))
  })
})
