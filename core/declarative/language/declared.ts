import type {
  DestructiveClass,
  Effect,
  ErrorMeaning,
  JsonSchema,
  ObservableKind,
} from '../../plugin/index.ts'
import type { Program } from '../../expression/index.ts'
import type { Template } from '../../playbook/language/playbook.ts'
import type { DeclaredAuth } from './declared-auth.ts'
import type { DeclaredExample } from './declared-example.ts'
import type { DeclaredWebhook } from './declared-webhook.ts'
import type { MethodKey } from './request-keys.ts'

/** A `plugin.yaml` without errors, with compiled expressions. */
export interface DeclaredPlugin {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly docs: string | undefined
  readonly connection: DeclaredConnection | undefined
  readonly skills: readonly DeclaredSkill[]
}

/** Names with their values, in source order. */
export type Entries = readonly (readonly [name: string, value: Template])[]

export interface DeclaredConnection {
  readonly title: string
  readonly description: string
  readonly docs: string | undefined
  readonly setup: readonly string[]
  /** With `x-secret`, and with `base_url`. */
  readonly settings: JsonSchema
  /** The address if the field `base_url` is empty; reads `settings`. */
  readonly baseUrl: Template
  readonly otherOrigins: readonly Template[]
  readonly hosts: readonly DeclaredHost[]
  readonly headers: Entries
  readonly auth: DeclaredAuth | undefined
  readonly rate: readonly DeclaredRate[]
  readonly check: DeclaredCheck
  readonly errors: readonly DeclaredError[]
  /** Undefined: answers are not read as XML. */
  readonly xml: DeclaredXml | undefined
  readonly webhooks: readonly DeclaredWebhook[]
}

/** A further address with separate credentials. */
export interface DeclaredHost {
  readonly name: string
  /** The address if the field `<name>_url` is empty. */
  readonly baseUrl: Template
  readonly headers: Entries
  /** `same`: those of the connection, with its headers; undefined: none. */
  readonly auth: DeclaredAuth | 'same' | undefined
}

export interface DeclaredXml {
  /** Elements that are lists: `name`, or `container/item`. */
  readonly lists: readonly string[]
}

/** The limits of some requests. */
export interface DeclaredRate {
  readonly bucket: string
  /** In upper case; empty: all. */
  readonly methods: readonly string[]
  /** The beginning of the path. */
  readonly path: string
  /** Gives `50/week`, a list of such texts, or null. */
  readonly limits: Template
}

export interface DeclaredCheck extends DeclaredRequest {
  readonly account: Template | undefined
  readonly warning: Template | undefined
}

export interface DeclaredError {
  readonly when: Program
  readonly message: Template | undefined
  readonly hint: Template | undefined
  readonly effect: Effect | undefined
  readonly error: ErrorMeaning | undefined
}

export interface DeclaredRequest {
  readonly method: Uppercase<MethodKey>
  /** Name of a host; undefined: the base URL. */
  readonly host: string | undefined
  readonly path: DeclaredPath
  readonly query: Entries
  readonly headers: Entries
  readonly body: DeclaredBody | undefined
  readonly accept: readonly number[]
}

export type DeclaredPath =
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'segments'
      readonly segments: readonly Template[]
      /** Whether the path ends with `/`. */
      readonly endsWithSlash: boolean
    }
  /** An expression for a whole path, or for an address below the base URL. */
  | { readonly kind: 'address'; readonly address: Template }

export type DeclaredBody =
  | { readonly kind: 'json'; readonly value: Template }
  | { readonly kind: 'form'; readonly fields: Entries }
  | { readonly kind: 'multipart'; readonly parts: readonly DeclaredPart[] }
  | { readonly kind: 'body'; readonly text: Template }

/** A field of a form, or a file if it has a name. */
export interface DeclaredPart {
  readonly name: string
  readonly value: Template
  readonly isBase64: boolean
  readonly filename: Template | undefined
  readonly contentType: Template | undefined
}

export interface DeclaredSkill {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly docs: string | undefined
  readonly permissions: readonly string[]
  readonly effect: 'read' | 'write'
  /** Of a write. */
  readonly repeat: 'safe' | 'verify' | 'never' | undefined
  readonly verify: DeclaredVerify | undefined
  readonly destructive: DestructiveClass | undefined
  /** Reads `output`. */
  readonly changedNothing: Program | undefined
  readonly followWith: DeclaredRelated | undefined
  readonly undoneBy: DeclaredRelated | undefined
  readonly stateBy?: DeclaredState | undefined
  /** Of a destructive skill with `undoneBy`. */
  readonly stateUnreadable: string | undefined
  /** Of a destructive skill. */
  readonly irreversible: string | undefined
  readonly restores: boolean
  readonly enriches: readonly ObservableKind[]
  readonly implements: readonly DeclaredImplementation[]
  readonly input: JsonSchema
  readonly output: JsonSchema
  /** Sent first, in this order. */
  readonly before: readonly DeclaredBefore[]
  readonly skip: DeclaredSkip | undefined
  readonly request: DeclaredRequest
  readonly notFound: DeclaredNotFound | undefined
  readonly paging: DeclaredPaging | undefined
  /** Only with `paging`, whose items are then ids. */
  readonly details: DeclaredDetails | undefined
  readonly poll: DeclaredPoll | undefined
  readonly mapping: OutputTemplate
  readonly examples: readonly DeclaredExample[]
}

export interface DeclaredImplementation {
  readonly interface: string
  readonly only: Readonly<Record<string, readonly string[]>> | undefined
  /** Reads `input`, the input of the interface. */
  readonly input: Template
  /** Also reads `output`, the output of the skill. */
  readonly output: OutputTemplate
}

/** A request that reads before the request of a skill; expressions read its answer as `before.<name>`. */
export interface DeclaredBefore {
  readonly name: string
  readonly request: DeclaredRequest
  /** Undefined: always sent. */
  readonly when: Program | undefined
  /** The skill fails unless this is true; also reads the answer. */
  readonly require: Program | undefined
  readonly message: Template | undefined
}

/** When the request of a skill is not sent. */
export interface DeclaredSkip {
  readonly when: Program
  readonly mapping: OutputTemplate
}

/** Reads the details of the listed ids. */
export interface DeclaredDetails {
  /** Reads `ids`. */
  readonly request: DeclaredRequest
  /** The most ids in a request. */
  readonly size: number
  readonly items: Program
}

/** A call of another skill of the plugin. */
export interface DeclaredRelated {
  readonly skill: string
  /** Reads `input` and `output`; undefined: not stated. */
  readonly input: Template | undefined
}

/** How the state of an action is read. */
export interface DeclaredState extends DeclaredRelated {
  /** Both read `state`, `input` and `output`. */
  readonly contained: Program
  readonly released: Program
}

export interface DeclaredNotFound {
  readonly statuses: readonly number[]
  readonly when: Program | undefined
  readonly mapping: OutputTemplate
}

export interface DeclaredVerify {
  /** Undefined: the answers of `before` decide. */
  readonly request: DeclaredRequest | undefined
  readonly tookEffect: Program
  readonly mapping: OutputTemplate
}

export interface DeclaredPoll {
  /** Reads `submitted`, the first answer; undefined: the request of the skill again. */
  readonly request: DeclaredRequest | undefined
  readonly until: Program
  readonly failed: Program | undefined
  /** Whether the operation has failed; reads `response`. */
  readonly message: Template | undefined
  readonly everyMs: number
  readonly timeoutMs: number
}

export interface DeclaredPaging {
  readonly kind: 'offset' | 'page' | 'cursor' | 'next' | 'link'
  /** Of `offset`, `page` and `cursor`; empty for the others. */
  readonly parameter: string
  /** Where the parameters are sent. */
  readonly place: 'query' | 'json'
  /** Of `cursor` and `next`: the cursor or address of the next page. */
  readonly next: Program | undefined
  /** Number of the first page. */
  readonly first: number
  readonly size: number
  readonly sizeParameter: string | undefined
  readonly items: Program
  readonly total: Program | undefined
  readonly id: Program | undefined
  readonly limit: Template
}

/** How an output is built. A field without a value is omitted. */
export type OutputTemplate =
  | {
      readonly kind: 'value'
      readonly value: Template
      /** Whether a null leaves the field out. */
      readonly dropsNull: boolean
    }
  | { readonly kind: 'map'; readonly entries: readonly (readonly [string, OutputTemplate])[] }
  /** A list made of each `item` of another list. */
  | { readonly kind: 'each'; readonly list: Program; readonly item: OutputTemplate }
