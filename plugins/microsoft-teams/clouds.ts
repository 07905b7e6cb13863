/** The addresses of a cloud: https://learn.microsoft.com/en-us/microsoftteams/platform/bots/how-to/conversations/send-proactive-messages. */
export interface Cloud {
  /** Of the bot service, for messages that the bot begins. */
  readonly service: string
  readonly login: string
  readonly scope: string
}

const worldwide = {
  login: 'https://login.microsoftonline.com',
  scope: 'https://api.botframework.com/.default',
}
const government = {
  login: 'https://login.microsoftonline.us',
  scope: 'https://api.botframework.us/.default',
}

const clouds = {
  global: { service: 'https://smba.trafficmanager.net/teams', ...worldwide },
  gcc: { service: 'https://smba.infra.gcc.teams.microsoft.com/teams', ...worldwide },
  us_gov_high: { service: 'https://smba.infra.gov.teams.microsoft.us/teams', ...government },
  us_gov_dod: { service: 'https://smba.infra.dod.teams.microsoft.us/teams', ...government },
} as const satisfies Readonly<Record<string, Cloud>>

export const cloudNames = ['global', 'gcc', 'us_gov_high', 'us_gov_dod'] as const

export const cloudOf = (name: (typeof cloudNames)[number] = 'global'): Cloud => clouds[name]
