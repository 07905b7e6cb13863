const text = (description: string) => ({ type: 'string', description }) as const
const textOrNull = (description: string) => ({ type: ['string', 'null'], description }) as const

const address = {
  type: 'object',
  required: ['name', 'address'],
  additionalProperties: false,
  properties: { name: text('As the sender wrote it.'), address: text('E-mail address.') },
} as const
const addresses = (description: string) => ({ type: 'array', items: address, description }) as const

const method = (name: string) => textOrNull(`Result of ${name}, e.g. pass or fail; null if it is not stated.`)

const parsedProperties = {
  message_id: textOrNull('With angle brackets. Chosen by the sender: it may be missing, repeated or forged.'),
  date: textOrNull('The time that the sender claims, ISO 8601.'),
  subject: text('Subject; empty if there is none.'),
  from: addresses('The sender that people see, which may be forged.'),
  reply_to: addresses('Where an answer would go.'),
  to: addresses('Recipients that the message names.'),
  cc: addresses('Further recipients.'),
  return_path: textOrNull('Address of the envelope sender.'),
  authentication: {
    type: 'array',
    description:
      'Headers Authentication-Results, topmost first. Only one with `trusted` was written by your own mail server; anybody can write the others.',
    items: {
      type: 'object',
      required: ['trusted', 'server', 'spf', 'dkim', 'dmarc', 'text'],
      additionalProperties: false,
      properties: {
        trusted: { type: 'boolean', description: 'The first header of authserv_id of the connection.' },
        server: text('Who claims to have checked.'),
        spf: method('SPF'),
        dkim: method('DKIM'),
        dmarc: method('DMARC'),
        text: text('The header.'),
      },
    },
  },
  headers: {
    type: 'array',
    description: 'All headers in their order, at most 200 with 2,000 characters each.',
    items: {
      type: 'object',
      required: ['name', 'value'],
      additionalProperties: false,
      properties: { name: text('In lower case.'), value: text('Decoded.') },
    },
  },
  text: text('The text, or the text of the HTML; at most 100,000 characters.'),
  text_truncated: { type: 'boolean', description: 'The text was longer.' },
  links: {
    type: 'array',
    items: { type: 'string' },
    description: 'Addresses in text and HTML, without repeats, at most 500. Never opened.',
  },
  attachments: {
    type: 'array',
    description: 'At most 100.',
    items: {
      type: 'object',
      required: ['name', 'type', 'size', 'sha256', 'md5'],
      additionalProperties: false,
      properties: {
        name: text('As the sender wrote it, without folders and characters that hide its ending.'),
        type: text('As the sender claims.'),
        size: { type: 'integer', description: 'Bytes.' },
        sha256: text('Of the content, in hex.'),
        md5: text('Of the content, in hex.'),
      },
    },
  },
} as const

const required = [
  'message_id',
  'date',
  'subject',
  'from',
  'reply_to',
  'to',
  'cc',
  'return_path',
  'authentication',
  'headers',
  'text',
  'text_truncated',
  'links',
  'attachments',
] as const

export const messageSchema = {
  type: 'object',
  required,
  additionalProperties: false,
  properties: parsedProperties,
} as const

export const innerSchema = {
  type: 'array',
  description:
    'Messages attached to it (message/rfc822 or .eml), such as the reported phish: outermost first, at most 10, three levels deep.',
  items: {
    type: 'object',
    required: ['sha256', 'message', 'problem'],
    additionalProperties: false,
    properties: {
      sha256: text('Of the attachment.'),
      message: { anyOf: [messageSchema, { type: 'null' }], description: 'Null if it cannot be read.' },
      problem: textOrNull('Why it cannot be read.'),
    },
  },
} as const
