import type { Log } from '../core/ports/log.ts'
import type { Stores } from '../core/ports/stores.ts'
import type { Catalogue } from '../core/registry/catalogue.ts'
import { createSecretResolver } from '../core/skill/connection/secret-resolver.ts'
import { createTraffic } from '../core/skill/http/traffic.ts'
import { createSignInFlow } from '../core/skill/sign-in/sign-in-flow.ts'
import { createStoredTokens, withSignIns } from '../core/skill/sign-in/stored-tokens.ts'
import type { Config } from './config/config.ts'
import { tokens, type ContainerToken } from './container-tokens.ts'
import { codeOf } from './egress/allow-lists.ts'
import { createOidcClient } from './identity/oidc-client.ts'
import { clientSecretOf } from './identity/client-secret.ts'
import { createSingleSignOn } from './identity/single-sign-on.ts'
import { openSecretSources } from './secrets/open-secret-sources.ts'

interface SecretsComposition {
  readonly config: Config
  readonly stores: Stores
  readonly catalogue: Catalogue
  readonly log: Log
  readonly onSecret: (secret: string) => void
  readonly get: <T>(token: ContainerToken<T>) => T
  readonly register: <T>(token: ContainerToken<T>, make: () => T) => void
}

/** Secrets that connections refer to, the tokens of their sign-ins, and the sign-in of people with an identity provider. */
export function registerSecrets(composition: SecretsComposition): void {
  const { get, register, config, stores, catalogue, log, onSecret } = composition
  const grants = () => {
    const clock = get(tokens.clock)
    return { egress: get(tokens.egress), clock, traffic: createTraffic(clock) }
  }
  register(tokens.secretSource, () =>
    openSecretSources({ config, codeOf: codeOf(stores.organizations), log, onSecret }),
  )
  register(tokens.storedTokens, () =>
    createStoredTokens({ ...grants(), store: stores.signIns, catalogue, isRenewing: true, onSecret }),
  )
  register(tokens.secrets, () =>
    withSignIns(createSecretResolver(get(tokens.secretSource)), get(tokens.storedTokens)),
  )
  register(tokens.singleSignOn, () => {
    const { oidc } = config
    if (oidc === undefined) return undefined
    const options = { egress: get(tokens.egress), clock: get(tokens.clock) }
    const client = createOidcClient({
      ...options,
      settings: oidc,
      readSecret: clientSecretOf(config, onSecret, log),
    })
    return createSingleSignOn({ ...options, settings: oidc, client, store: stores.singleSignOn })
  })
  register(tokens.signInFlow, () =>
    createSignInFlow({
      ...grants(),
      secrets: get(tokens.secrets),
      tokens: get(tokens.storedTokens),
      store: stores.signIns,
    }),
  )
}
