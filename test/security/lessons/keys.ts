import { http, type Chapter } from './lesson.ts'

export const keys: Chapter = {
  title: 'Keys, sessions, organizations',
  lessons: [
    {
      promise:
        'Tocsin stores an API key as its id and a SHA-256 hash. A key has a role, may be limited to organizations, may expire, and stops working when it is revoked.',
      proofs: [
        http(
          'authentication',
          'is malformed, unknown, wrong, expired or revoked: one and the same answer, without the key',
          'is revoked at once: each request asks the store',
          'never stands in the log',
        ),
        http(
          'scoped-keys',
          'gives no key that reaches further than its maker, and shows none',
          'revokes no key that reaches further',
        ),
        http('keys', 'gives no key that ends later than its maker', 'leaves the last one that goes on'),
      ],
    },
    {
      promise:
        'An event stream ends immediately when its key is revoked or its session is signed out, and within 15 seconds when either expires. It shows nothing of other organizations, and nothing that its role may not see.',
      proofs: [
        http(
          'run-events',
          'end at once where the key is revoked',
          'end where the key expires',
          'end with the session: signed out, or idle',
          'say no more and no less than the run does, with nothing that is sensitive',
        ),
        http('change-feed', 'tells nothing of other organizations, and nothing that the role may not see'),
      ],
    },
    {
      promise:
        'A request has one key, as the cookie `Session` or as a bearer token. The server never sets that cookie.',
      proofs: [
        http(
          'authentication',
          'is taken from the Session cookie',
          'is taken from Authorization: Bearer',
          'stands twice: 400, even when both are the same',
          'is never set as a cookie by the server',
        ),
      ],
    },
    {
      promise:
        'Each sign-in to the web page starts a new session: an HttpOnly, SameSite=Strict cookie, Secure over TLS, with a random token that is stored as a hash. A session ends when it is idle or too old, and with its key.',
      proofs: [
        http(
          'session',
          'has a cookie for TLS alone',
          'gets another token with each sign-in',
          'ends when nothing is done',
          'ends after its whole time',
          'ends with its key',
          'has a token that is stored nowhere',
        ),
      ],
    },
    {
      promise:
        'The client address is the remote address of the connection. Only trusted proxies can replace it, and only with what they wrote themselves, not with what the sender added.',
      proofs: [
        http(
          'requester',
          'is the other end of the connection, whatever it says, unless that is a trusted proxy',
          'is never changed by what a sender puts in front, and always an address',
          'holds up who fails to sign in, and nobody else behind the same proxy',
        ),
      ],
    },
    {
      promise:
        'Other web sites cannot act through a browser: `Sec-Fetch-Site` and `Origin` must be the server’s own, bodies are JSON, there is no CORS, and GET changes nothing.',
      proofs: [
        http(
          'browsers',
          'are refused before the key is looked at',
          'may not call from a page of a name that somebody else lets lead here',
          'get no permission for other origins',
          'are told to come over TLS alone where that is how people reach the server',
          'learn from the ids of requests neither their number nor their order',
        ),
        http('session', 'is not begun, ended or used', 'is not begun by a form'),
      ],
    },
    {
      promise:
        'Every route declares who may use it. Objects of other organizations are invisible, whatever the spelling of their id. A route without a row in the access tests fails.',
      proofs: [
        http(
          'access',
          'is decided for every route, here as well',
          'reaches nothing of another organization',
          'is not for ',
        ),
      ],
    },
    {
      promise:
        'List cursors are encrypted: they do not reveal how many alerts, cases and runs other organizations have.',
      proofs: [
        [
          'test/sqlite/cursors.test.ts',
          'tell nothing of the numbers of rows',
          'are refused when one bit of them is another',
          'are good after a restart, and in no other data directory',
        ],
      ],
    },
    {
      promise:
        'Clients cannot set internal fields: unknown fields and parameters are refused, and `__proto__` is plain data.',
      proofs: [
        http('bad-requests', 'names the field that was probably meant', 'refuses the query '),
        ['test/end-to-end/hostile-alerts.test.ts', 'of a type that is ', 'that hold '],
      ],
    },
    {
      promise:
        'No encoded or doubled slash, backslash, fragment, suffix or letter case bypasses a protected path.',
      proofs: [
        http('bad-requests', 'knows no path ', 'takes no request target '),
        http('webhooks', 'know no other way to their path'),
        http('page', 'is not at '),
      ],
    },
  ],
}
