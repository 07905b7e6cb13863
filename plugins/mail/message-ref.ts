/** How a message is identified. UIDs are valid only together with the UIDVALIDITY of their mailbox. */
export const refProperties = {
  mailbox: {
    type: 'string',
    minLength: 1,
    maxLength: 1_000,
    default: 'INBOX',
    description: 'Path of the mailbox, or its special use such as \\Junk. Default INBOX.',
  },
  uid: { type: 'integer', minimum: 1, maximum: 4_294_967_295, description: 'From search_messages.' },
  uid_validity: {
    type: 'string',
    pattern: '^[0-9]{1,20}$',
    patternErrorMessage: 'must be the uid_validity of search_messages, a string of digits',
    description: 'From search_messages: if it has changed, the UID may mean another message.',
  },
} as const

export interface MessageRef {
  readonly mailbox?: string | undefined
  readonly uid: number
  readonly uid_validity: string
}

export const mailboxOf = ({ mailbox }: { readonly mailbox?: string | undefined }): string =>
  mailbox ?? 'INBOX'
