import type { ManifestAbout } from 'tocsin/plugin'
import { toOneLine } from './message-text.ts'

/** Scopes of the app, in the order of the install screen. */
const botScopes = [
  'incoming-webhook',
  'users:read',
  'users:read.email',
  'chat:write',
  'im:write',
  'app_mentions:read',
  'im:history',
] as const

/**
 * The manifest of the app that an operator creates for one connection:
 * https://docs.slack.dev/reference/app-manifest. Its addresses contain the connection's token.
 */
export function manifest({ name, inboundUrl }: ManifestAbout): unknown {
  const title = `Tocsin (${name})`
  return {
    display_information: {
      name: toOneLine(title, 35),
      description: 'Asks people to confirm suspicious activity, and posts to a channel.',
      background_color: '#1d3557',
    },
    features: {
      app_home: {
        home_tab_enabled: false,
        messages_tab_enabled: true,
        messages_tab_read_only_enabled: false,
      },
      bot_user: { display_name: toOneLine(title, 80), always_online: true },
    },
    oauth_config: { scopes: { bot: botScopes } },
    settings: {
      event_subscriptions: { request_url: inboundUrl('events'), bot_events: ['message.im'] },
      interactivity: { is_enabled: true, request_url: inboundUrl('interactions') },
      org_deploy_enabled: false,
      socket_mode_enabled: false,
      token_rotation_enabled: false,
    },
  }
}
