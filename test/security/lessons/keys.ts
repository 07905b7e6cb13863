import { http, type Chapter } from './lesson.ts'

export const keys: Chapter = {
  title: 'Keys, sessions, organizations',
  text: `Who is trusted for what:

- **People** act for themselves alone. An administrator can invite people, and can take over an account with a new password link; the audit log records the link, its use, and who made it.
- **Roles** decide what a person or a key may do, per organization. Nobody gives a permission that they do not have. Writing playbooks, approving actions and managing connections are separate permissions.
- **API keys** act for machines. Whoever knows the secret has the permissions of the key, so approvals with a key count as those of its owner and of everyone who created a secret of it.
- **Sessions** act for the person or key that signed in, until they are idle, too old or ended. Changes of the ways to sign in, and accepting a key, need a recent sign-in.
- **Commands** on the server, such as \`tocsin keys create\`, act for the operator, who is trusted with everything.`,
  lessons: [
    {
      promise:
        'Tocsin stores an API key as its id and a SHA-256 hash. A key has a role, may be limited to organizations, may expire, and stops working when it is revoked.',
      proofs: [
        http(
          'authentication',
          'answers malformed, unknown, wrong, expired and revoked keys alike, without quoting the key',
          'refuses a revoked key at once, because each request asks the store',
          'never logs the key',
        ),
        http(
          'scoped-keys',
          'cannot create or see keys with a wider scope',
          'cannot revoke a key with a wider scope',
        ),
        http(
          'keys',
          'refuses a key that expires later than its creator',
          'keeps the last lasting admin key, even if another one is valid for less than a week',
        ),
      ],
    },
    {
      promise:
        'An approval with a key counts as one of its owner and of everyone who knows its secret. A person accepts a key that somebody else created by replacing the secret. So nobody gives two approvals, or approves what they requested, with keys that they created for others.',
      proofs: [
        http(
          'key-consent',
          'does not count as a second person beside its creator, until its owner accepts it',
          'loses the sessions that its creator started with it, when its owner accepts it',
          'counts as its creator as soon as the creator knows a secret again',
          'counts as whoever used it to replace its own secret, or keeps the earlier one for a time',
          'does not approve what its creator requested',
          'that requested a run lets its creator approve nothing in it, also once its owner accepts the key',
          'is accepted only by its owner, who has its permissions and signed in recently',
        ),
        [
          'test/engine/own-keys.test.ts',
          'are refused to accounts and their keys that the key of the requester created',
        ],
      ],
    },
    {
      promise:
        'The link for the first administrator works once, for an hour, and only until there is an account.',
      proofs: [
        [
          'test/contract/credential-store.ts',
          'ends the invitation of the first administrator with the first account',
        ],
        http('person-sign-in', 'ends an hour after the start, or with the first account'),
      ],
    },
    {
      promise:
        'API keys expire after a year unless their creator chooses otherwise, except those that can only post alerts.',
      proofs: [
        http(
          'key-expiry',
          'ends after the configured time, unless its creator chooses another or none',
          'is renewed by a rotation, and never ended earlier',
        ),
      ],
    },
    {
      promise:
        'An event stream ends immediately when its key is revoked or changed or its session is signed out, and within 15 seconds when either expires. It shows nothing of other organizations, and nothing that its role may not see.',
      proofs: [
        http(
          'run-events',
          'end at once if the key is revoked',
          'end at once if the secret or the addresses of the key change',
          'end when the key expires',
          'end with the session, by sign-out or idle time, which an open stream does not extend',
          'match the run exactly and leave out sensitive values',
        ),
        http('change-feed', 'hides other organizations and kinds that the role may not read'),
      ],
    },
    {
      promise:
        'A request has one key, as the cookie `Session` or as a bearer token. The server never sets that cookie.',
      proofs: [
        http(
          'authentication',
          'accepts the Session cookie',
          'accepts Authorization: Bearer',
          'answers 400 if a request has two keys, even equal ones',
          'never sets the key as a cookie',
        ),
      ],
    },
    {
      promise:
        'Each sign-in to the web page starts a new session: an HttpOnly, SameSite=Strict cookie, Secure over TLS, with a random token that is stored as a hash. A session ends when it is idle or too old, and with its key.',
      proofs: [
        http(
          'session',
          'has a Secure cookie if the public address uses TLS',
          'gets a new token with each sign-in, which ends the previous session of the browser',
          'ends after the configured idle time',
          'ends after its maximum lifetime, however active',
          'ends when its key is revoked or expires',
          'stores no token, and logs neither token nor key',
        ),
      ],
    },
    {
      promise:
        'With [single sign-on](single-sign-on.md), an answer of the identity provider counts once, within ten minutes, in the browser that began the sign-in, and with a signed ID token for it. Issuer and subject identify a person; an address opens only an account that an admin has invited. The provider can end sessions, and must confirm each within a set time.',
      proofs: [
        [
          'test/identity/sign-in.test.ts',
          'completes nothing in another browser than the one that began',
          'completes a sign-in once',
          'completes nothing after ten minutes',
          'refuses the answer of another issuer',
          'returns to its own pages only',
          'does not become theirs if the address is not verified',
          'refuses a disabled person, whose open sessions have ended',
          'takes over the groups of a person within the recheck time',
          'ends within the recheck time when the person was removed at the provider',
          'ends all sessions of a person',
          'is accepted once',
        ],
        [
          'test/identity/oidc-client.test.ts',
          'that nobody signed',
          'signed with a key that is not published',
          'for another client',
          'of another sign-in',
        ],
        [
          'test/end-to-end/single-sign-on-killed.test.ts',
          'writes neither the client secret nor tokens of the provider to disk or to the log',
        ],
      ],
    },
    {
      promise:
        'The client address is the remote address of the connection. Only trusted proxies can replace it, and only with what they wrote themselves, not with what the sender added.',
      proofs: [
        http(
          'requester',
          'is the peer of the connection, regardless of headers, unless the peer is a trusted proxy',
          'is an address that forged entries in front cannot change',
          'delays a client that fails to sign in and no other behind the same proxy',
        ),
      ],
    },
    {
      promise:
        'Other web sites cannot act through a browser: `Sec-Fetch-Site` and `Origin` must be the server’s own, bodies are JSON, there is no CORS, and GET changes nothing.',
      proofs: [
        http(
          'browsers',
          'are refused before the key is checked',
          'may not call the API from a page whose foreign name resolves to the server (DNS rebinding)',
          'get headers that forbid cross-origin use, caching, framing and content sniffing',
          'get HSTS only if the public address uses TLS',
          'cannot derive the number or order of requests from request ids',
        ),
        http(
          'session',
          'cannot be started, ended or used',
          'cannot be started by a form, nor used by one without a body',
        ),
      ],
    },
    {
      promise:
        'Every route declares who may use it. Objects of other organizations are invisible, whatever the spelling of their id. A route without a row in the access tests fails.',
      proofs: [
        http(
          'access',
          'is declared in this table for every route',
          'hides objects of other organizations from role',
          'refuses requests without a key in the body, and from other web sites',
        ),
      ],
    },
    {
      promise:
        'A playbook of an organization looks missing to everybody else: its name, versions, drafts, tests and errors. Only `playbooks:write` in that organization publishes it, and only access to all organizations shares or moves it.',
      proofs: [
        http(
          'playbook-organizations',
          'are unknown to everybody else',
          'are not named when a source of another organization is checked or completed',
          'cannot be shared, moved or replace a shared one without access to all organizations',
          'do not give away whose name is taken',
          'leave a generated playbook of the same name to other organizations',
        ),
        http('drafts', 'does not show which version another organization published under the name'),
      ],
    },
    {
      promise:
        'List cursors are encrypted: they do not reveal how many alerts, cases and runs other organizations have.',
      proofs: [
        [
          'test/sqlite/cursors.test.ts',
          'hide row numbers, which would count rows of all organizations',
          'are refused if one bit is changed',
          'are valid after a restart, but not in another data directory',
        ],
      ],
    },
    {
      promise:
        'Clients cannot set internal fields: unknown fields and parameters are refused, and `__proto__` is plain data.',
      proofs: [
        http('bad-requests', 'suggests the field that was probably meant', 'refuses the query '),
        ['test/end-to-end/hostile-alerts.test.ts', 'with a type that is', 'with'],
      ],
    },
    {
      promise:
        'No encoded or doubled slash, backslash, fragment, suffix or letter case bypasses a protected path.',
      proofs: [
        http('bad-requests', 'answers 404 for the path', 'refuses the request target'),
        http('webhooks', 'have no other path'),
        http('page', 'is not served at'),
      ],
    },
  ],
}
