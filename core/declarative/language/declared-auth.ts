import type { Template } from '../../playbook/language/playbook.ts'
import type { JwtAlgorithm } from './auth-keys.ts'

/** Names with their values; see `Entries`. */
type Pairs = readonly (readonly [name: string, value: Template])[]

/** How the requests of a connection authenticate. */
export type DeclaredAuth =
  | { readonly kind: 'header' | 'query'; readonly name: string; readonly value: Template }
  | { readonly kind: 'basic'; readonly username: Template; readonly password: Template }
  | { readonly kind: 'bearer'; readonly token: Template }
  | {
      readonly kind: 'client_credentials'
      /** Reads `settings`. */
      readonly token: Template
      readonly clientId: Template
      readonly clientSecret: Template
      readonly send: 'form' | 'basic'
      /** Further fields of the form. */
      readonly form: Pairs
    }
  | {
      readonly kind: 'jwt_bearer'
      /** Reads `settings`. */
      readonly token: Template
      readonly algorithm: JwtAlgorithm
      readonly key: Template
      readonly keyId: Template | undefined
      readonly claims: Pairs
      readonly lifetimeMs: number
      readonly form: Pairs
    }
  | {
      readonly kind: 'authorization_code'
      /** These read `settings`. */
      readonly authorize: Template
      readonly token: Template
      readonly revoke: Template | undefined
      readonly clientId: Template
      readonly clientSecret: Template | undefined
      readonly send: 'form' | 'basic'
      readonly scope: Template | undefined
      readonly parameters: Pairs
      readonly form: Pairs
      readonly issuer: Template | undefined
      readonly refreshToken: 'single_use' | 'reusable'
    }
  | {
      readonly kind: 'aws'
      readonly accessKeyId: Template
      readonly secretAccessKey: Template
      readonly sessionToken: Template | undefined
      readonly region: Template
      readonly service: Template
    }
  | {
      readonly kind: 'hmac'
      readonly algorithm: 'sha1' | 'sha256' | 'sha512'
      readonly encoding: 'hex' | 'base64'
      readonly key: Template
      /** Reads `request`, `now` and `now_ms`. */
      readonly text: Template
      /** Their values can also read `signature`. */
      readonly headers: Pairs
      readonly query: Pairs
    }
