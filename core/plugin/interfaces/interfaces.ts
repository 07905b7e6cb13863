/**
 * Interfaces that skills of several vendors implement, so that playbooks work with any of them. A skill
 * declares `implements` and maps the fields. Keep the list and each core small: a field belongs here only if
 * every vendor has it.
 */

import type { Infer, JsonSchema } from '../json-schema.ts'
import { observableKinds, type DestructiveClass } from './vocabulary.ts'

/** An operation that skills of several plugins can implement; playbooks use it as `interface.<name>`. */
export interface InterfaceDefinition {
  readonly title: string
  readonly description: string
  readonly effect: 'read' | 'write'
  readonly destructive?: DestructiveClass
  /** A checkpoint uses it. */
  readonly asks?: true
  /** The interface that reverses it. */
  readonly undoneBy?: string
  /** Set if it ends a containment or a block. Default: it does not. */
  readonly restores?: true
  /**
   * The output that lists results: every connection is asked, and the lists are joined. Default: one connection
   * is used.
   */
  readonly gathers?: string
  /** The output that identifies a new entity. The engine adds the connection. */
  readonly gives?: string
  /** The input that identifies an entity; its `connection`, if set, is used. */
  readonly takes?: string
  readonly input: JsonSchema
  /**
   * The output of an implementing skill, without the fields that the engine adds. Optional fields become
   * null.
   */
  readonly output: JsonSchema
}

const text = { type: 'string', minLength: 1, maxLength: 2_048 } as const
const message = { type: 'string', minLength: 1, 'x-message': true } as const
const id = { ...text, description: 'Id in the other system.' } as const
const textOrNull = { type: ['string', 'null'] } as const
const connection = {
  type: ['string', 'null'],
  description: 'Name of the connection that it belongs to. Without it, the step decides.',
} as const
const comment = { ...message, maxLength: 1_000, description: 'The reason, for the other system.' } as const

const object = <const R extends readonly string[], const P extends Readonly<Record<string, JsonSchema>>>(
  required: R,
  properties: P,
) => ({ type: 'object', required, additionalProperties: false, properties }) as const

/** An entity as an input; accepts a found entity with all its fields. */
const entity = <const P extends Readonly<Record<string, JsonSchema>>>(description: string, more: P) =>
  ({
    type: 'object',
    description,
    required: ['id', ...(Object.keys(more) as (keyof P & string)[])],
    additionalProperties: true,
    properties: { id, connection, ...more },
  }) as const

const machine = entity('The machine, as `find_machine` lists it, or its id.', {})
const user = entity('The user, as `find_user` lists it, or its id.', {})

const outcome = object(['status'], {
  status: {
    type: 'string',
    enum: ['done', 'pending'],
    description: '`pending`: accepted by the other system, but not in effect yet.',
  },
  reference: { ...textOrNull, description: 'Id of the action in the other system.' },
})

const blockable = ['ip', 'domain', 'url', 'hash'] as const
const kindOf = <const K extends readonly string[]>(kinds: K) =>
  ({ type: 'string', enum: kinds, description: 'What `value` is.' }) as const

const onMachine = { effect: 'write', destructive: 'containment', takes: 'machine' } as const
const onUser = { effect: 'write', destructive: 'containment', takes: 'user' } as const

export const interfaces = {
  enrich: {
    title: 'Enrich an observable',
    description: 'Asks every connected intelligence source about an observable.',
    effect: 'read',
    gathers: 'findings',
    input: object(['kind', 'value'], {
      kind: kindOf(observableKinds),
      value: text,
    }),
    output: object(['findings'], {
      findings: {
        type: 'array',
        items: object(['score', 'reasons'], {
          score: { type: ['number', 'null'], description: 'Risk from 0 to 100; null: unknown.' },
          reasons: { type: 'array', items: { type: 'string' } },
        }),
      },
    }),
  },
  find_machine: {
    title: 'Find a machine',
    description: 'Finds the machines with a name or an address in every connected endpoint system.',
    effect: 'read',
    gathers: 'machines',
    input: object(['kind', 'value'], { kind: kindOf(['host', 'ip']), value: text }),
    output: object(['machines'], {
      machines: {
        type: 'array',
        items: object(['id'], {
          id,
          name: textOrNull,
          os: textOrNull,
          isolated: { type: ['boolean', 'null'], description: 'null: the other system does not say.' },
          last_seen: textOrNull,
        }),
      },
    }),
  },
  isolate_machine: {
    ...onMachine,
    title: 'Isolate a machine',
    description: 'Cuts a machine off the network, except from the system that isolates it.',
    undoneBy: 'release_machine',
    input: object(['machine', 'comment'], { machine, comment }),
    output: outcome,
  },
  release_machine: {
    ...onMachine,
    title: 'Release a machine',
    restores: true,
    description: 'Ends the isolation of a machine.',
    undoneBy: 'isolate_machine',
    input: object(['machine', 'comment'], { machine, comment }),
    output: outcome,
  },
  find_user: {
    title: 'Find a user',
    description: 'Finds the accounts with a name or an e-mail address in every connected directory.',
    effect: 'read',
    gathers: 'users',
    input: object(['kind', 'value'], { kind: kindOf(['user', 'email']), value: text }),
    output: object(['users'], {
      users: {
        type: 'array',
        items: object(['id'], {
          id,
          name: textOrNull,
          email: textOrNull,
          enabled: { type: ['boolean', 'null'], description: 'null: the other system does not say.' },
        }),
      },
    }),
  },
  disable_user: {
    ...onUser,
    title: 'Disable a user',
    description: 'Prevents a user from signing in.',
    undoneBy: 'enable_user',
    input: object(['user', 'comment'], { user, comment }),
    output: outcome,
  },
  enable_user: {
    ...onUser,
    title: 'Enable a user',
    restores: true,
    description: 'Lets a disabled user sign in again.',
    undoneBy: 'disable_user',
    input: object(['user', 'comment'], { user, comment }),
    output: outcome,
  },
  revoke_sessions: {
    ...onUser,
    title: 'Revoke the sessions of a user',
    description: 'Signs a user out everywhere. The user can sign in again.',
    input: object(['user', 'comment'], { user, comment }),
    output: outcome,
  },
  search_mail: {
    title: 'Search mail',
    description: 'Finds the messages in a mailbox with a sender, a subject or a message id.',
    effect: 'read',
    gathers: 'messages',
    input: object(['mailbox', 'kind', 'value'], {
      mailbox: { ...text, description: 'Address of the mailbox.' },
      kind: kindOf(['sender', 'subject', 'message_id']),
      value: text,
    }),
    output: object(['messages'], {
      messages: {
        type: 'array',
        items: object(['id', 'mailbox'], {
          id,
          mailbox: text,
          message_id: { ...textOrNull, description: 'The header Message-ID.' },
          sender: textOrNull,
          subject: textOrNull,
          received_at: textOrNull,
        }),
      },
    }),
  },
  purge_mail: {
    title: 'Purge a message',
    description: 'Removes a message from a mailbox, so that its owner cannot read it.',
    effect: 'write',
    destructive: 'deletion',
    takes: 'message',
    input: object(['message', 'comment'], {
      message: entity('The message, as `search_mail` lists it.', { mailbox: text }),
      comment,
    }),
    output: outcome,
  },
  block_indicator: {
    title: 'Block an indicator',
    description: 'Blocks an address, domain, URL or file.',
    effect: 'write',
    destructive: 'blocking',
    undoneBy: 'unblock_indicator',
    gives: 'block',
    input: object(['kind', 'value', 'comment'], { kind: kindOf(blockable), value: text, comment }),
    output: object(['status', 'block'], {
      status: outcome.properties.status,
      block: object(['id', 'kind', 'value'], { id, kind: kindOf(blockable), value: text }),
    }),
  },
  unblock_indicator: {
    title: 'Unblock an indicator',
    restores: true,
    description: 'Ends the block of an indicator.',
    effect: 'write',
    destructive: 'blocking',
    undoneBy: 'block_indicator',
    takes: 'block',
    input: object(['block', 'comment'], {
      block: entity('The block, as `block_indicator` returns it.', { kind: kindOf(blockable), value: text }),
      comment,
    }),
    output: outcome,
  },
  create_ticket: {
    title: 'Create a ticket',
    description: 'Creates a ticket or an incident.',
    effect: 'write',
    gives: 'ticket',
    input: object(['title', 'description', 'severity'], {
      title: { ...message, maxLength: 250 },
      description: { ...message, maxLength: 30_000 },
      severity: { type: 'string', enum: ['low', 'medium', 'high', 'critical'] },
    }),
    output: object(['ticket'], {
      ticket: object(['id'], { id, url: { ...textOrNull, description: 'Its page.' } }),
    }),
  },
  update_ticket: {
    title: 'Update a ticket',
    description: 'Adds a comment to a ticket.',
    effect: 'write',
    takes: 'ticket',
    input: object(['ticket', 'comment'], {
      ticket: entity('The ticket, as `create_ticket` returns it, or its id.', {}),
      comment: { ...message, maxLength: 30_000 },
    }),
    output: outcome,
  },
  notify: {
    title: 'Notify the team',
    description: 'Posts a message where the team reads it.',
    effect: 'write',
    input: object(['text'], { text: message }),
    output: outcome,
  },
  ask: {
    title: 'Ask a person',
    description: 'Asks a person in a message; checkpoints use it as `via`.',
    effect: 'write',
    asks: true,
    input: object(['user', 'message'], {
      user: { ...text, maxLength: 320, description: 'E-mail address of the person to ask.' },
      message: { ...message, description: 'The question.' },
    }),
    output: object([], {}),
  },
} as const satisfies Readonly<Record<string, InterfaceDefinition>>

export type InterfaceName = keyof typeof interfaces
export type InterfaceInput<N extends InterfaceName> = Infer<(typeof interfaces)[N]['input']>
export type InterfaceOutput<N extends InterfaceName> = Infer<(typeof interfaces)[N]['output']>
