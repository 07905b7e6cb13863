/** An organization or a provider, as the API lists them. */
export interface Coded {
  /** Stays for good: ids of alerts and cases begin with it. */
  readonly code: string
  readonly name: string
  /** What an edit names in `If-Match`. */
  readonly revision: number
  readonly created_at: number
}

/** Which of the two, in the API and for people. */
export interface CodedKind {
  readonly path: '/organizations' | '/providers'
  readonly title: string
  /** One of them. */
  readonly one: string
  /** What a new one is for. */
  readonly about: string
  readonly example: { readonly code: string; readonly name: string }
  /** Filter of the list of alerts that shows those of one. */
  readonly filter: 'organization' | 'provider'
}

export const organizations: CodedKind = {
  path: '/organizations',
  title: 'Organizations',
  one: 'organization',
  about: 'An organization has its own alerts, cases and connections, separate from all others.',
  example: { code: 'initech', name: 'Initech' },
  filter: 'organization',
}

export const providers: CodedKind = {
  path: '/providers',
  title: 'Providers',
  one: 'provider',
  about: 'A provider sends alerts. All organizations share the list.',
  example: { code: 'mail_gateway', name: 'Mail gateway' },
  filter: 'provider',
}
