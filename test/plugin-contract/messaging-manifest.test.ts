import { Ajv } from 'ajv'
import { expect } from 'chai'
import { readFileSync } from 'node:fs'
import messaging from '../../plugins/messaging/plugin.ts'

const fixture = (name: string): unknown =>
  JSON.parse(
    readFileSync(
      new URL(`../../plugins/messaging/fixtures/app-manifest-${name}.json`, import.meta.url),
      'utf8',
    ),
  )

// The vendor's schema uses its own keywords and formats.
const fits = new Ajv({ strict: false, validateFormats: false }).compile(fixture('schema-v1') as object)
const problems = (manifest: unknown) => (fits(manifest) ? [] : fits.errors)

const token = '0hR3mZ8yq5xkT1sB2nWc6v'
const inboundUrl = (route: string) =>
  `https://tocsin.example.com/api/webhooks/messaging/v1/${route}?token=${token}`
const manifestOf = (name: string) => messaging.connection?.manifest?.({ name, inboundUrl })

describe('the manifest of the messaging app', () => {
  it('is validated by a schema that rejects invalid ones', () => {
    expect(problems(fixture('example-v1-valid'))).to.deep.equal([])
    expect(problems(fixture('example-v1-invalid'))).not.to.deep.equal([])
  })

  for (const name of [
    'chat',
    'A name of a connection that is longer than the vendor allows, by far',
    '\u202E',
    '👩‍🚒'.repeat(40),
  ]) {
    it(`matches the vendor's schema with the name ${encodeURIComponent(name).slice(0, 40)}`, () => {
      expect(problems(manifestOf(name))).to.deep.equal([])
    })
  }

  it("requests the required scopes, and contains the addresses with the connection's token", () => {
    expect(manifestOf('chat')).to.deep.equal({
      display_information: {
        name: 'Tocsin (chat)',
        description: 'Asks people to confirm suspicious activity, and posts to a channel.',
        background_color: '#1d3557',
      },
      features: {
        app_home: {
          home_tab_enabled: false,
          messages_tab_enabled: true,
          messages_tab_read_only_enabled: false,
        },
        bot_user: { display_name: 'Tocsin (chat)', always_online: true },
      },
      oauth_config: {
        scopes: {
          bot: [
            'incoming-webhook',
            'users:read',
            'users:read.email',
            'chat:write',
            'im:write',
            'app_mentions:read',
            'im:history',
          ],
        },
      },
      settings: {
        event_subscriptions: {
          request_url: `https://tocsin.example.com/api/webhooks/messaging/v1/events?token=${token}`,
          bot_events: ['message.im'],
        },
        interactivity: {
          is_enabled: true,
          request_url: `https://tocsin.example.com/api/webhooks/messaging/v1/interactions?token=${token}`,
        },
        org_deploy_enabled: false,
        socket_mode_enabled: false,
        token_rotation_enabled: false,
      },
    })
  })
})
