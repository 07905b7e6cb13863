/** What docs/security.md promises, and the tests that would fail where it were not so. */

/** A file below the root, and what its tests are called (the beginning of the title is enough). */
export type Proof = readonly [file: string, ...titles: readonly string[]]

export interface Lesson {
  readonly promise: string
  /** Between the promise and its proofs, in Markdown. */
  readonly text?: string
  readonly proofs: readonly Proof[]
}

export interface Chapter {
  readonly title: string
  /** In front of the promises, in Markdown. */
  readonly text?: string
  readonly lessons: readonly Lesson[]
}

const http = (file: string, ...titles: readonly string[]): Proof => [`test/http/${file}.test.ts`, ...titles]

const formsOfSecrets = `Tocsin searches texts for known secrets in these forms:

- raw, or with any characters escaped for JSON, JavaScript, URLs or HTML, in either letter case and up to four layers;
- in hex, in either letter case;
- inside base64 or base64url, at any place of a longer text, also if that text contains the secret as JSON serializers, URLs or HTML escape it, or in UTF-16.

It does not find secrets that another system changed in other ways: compressed, encrypted, hashed, reversed, in base64 with line breaks, or cut into pieces. The search takes
time proportional to the length of the text.`

const sensitiveValues = `A playbook marks an input with \`sensitive: true\`, or a field of a schema with \`x-sensitive: true\`; a skill marks fields of its output.
Tocsin follows the source of a value, not its text: the same word in an unmarked field is not redacted.

- A value is as sensitive as the field that it is read from. The result of an expression over it is sensitive as a whole: \`inputs.pin.upperAscii()\`,
  \`sha256(inputs.pin)\`, a list or map that contains it, text around it. This also applies to \`set\`, \`foreach\`, defaults, outputs and called playbooks.
- True and false, \`size()\` and \`type()\` are not sensitive, nor is a value that a condition only selects: \`inputs.pin == '1' ? 'yes' : 'no'\`.
- \`alert.content\` is sensitive if the playbook marks anything under \`alert\`.
- A sensitive value cannot leave the run through an input of a skill, question, message or called playbook that does not accept it: E315, before
  anything runs. No shipped skill accepts one: neither cases nor \`http\` nor the vendors' skills. A plugin accepts one with \`x-accepts-sensitive\` on the
  input. Called playbooks declare their inputs \`sensitive\`.
- All views of a run (page, API, streams, cases, exports, dry runs, the command line, the audit log) show \`[redacted]\` instead.
- The answer of another system is sensitive only if its skill marks it. In errors and log lines of a call, Tocsin replaces the sensitive texts of
  its input, if they have at least four characters.
- An alert is stored as received, and shows its whole content to everyone who may read alerts.`

export const chapters: readonly Chapter[] = [
  {
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
  },
  {
    title: 'Secrets',
    lessons: [
      {
        promise:
          'Secrets of connections are encrypted with AES-256-GCM, bound to their place and the version of the key. Swapped, truncated or changed ciphertexts are rejected.',
        proofs: [
          [
            'test/secrets/secret-box.test.ts',
            'seals the same secret differently each time',
            'opens nothing in another place',
            'opens nothing that was changed',
          ],
        ],
      },
      {
        promise:
          'The master key is a file readable only by its owner, generated at the first start, or comes from the environment. There is no default, and a weak or damaged key is refused.',
        proofs: [
          [
            'test/secrets/master-key.test.ts',
            'lets nobody else read the file',
            'refuses a key of the wrong length',
            'refuses a damaged file',
            'refuses a file that others can read',
          ],
        ],
      },
      {
        promise:
          'The API accepts secrets and never returns one. A secret is sent only to the address it was entered for.',
        proofs: [
          http(
            'connections',
            'one shows it to whoever reads, without its secrets',
            'changes a secret without the rest, and shows none',
            'has no secret so short that it could not be kept out of messages',
            'takes a secret to no other address unless it is given again',
            'takes a secret to no other path of the same origin unless it is given again',
            'of two at once keeps what both change, and no secret that was replaced comes back',
          ),
          ['test/skill/http-connection.test.ts', 'is not made with '],
        ],
      },
      {
        promise: 'No secret of a connection and no received token appears in logs, files or answers.',
        text: formsOfSecrets,
        proofs: [
          [
            'test/skill/redactor.test.ts',
            'hides a secret of which any characters are escaped in any way, also in layers',
            'hides a secret in hex, and inside of longer base64 at any place of it',
            'hides everything where a text is made to be compared in vain for long',
          ],
          ['test/secrets/live-secrets.test.ts', 'are taken out of a text in every form'],
          [
            'test/security/canaries.test.ts',
            'are in no line of its log',
            'are in no file of its data directory',
            'are in no figure, stream, report or output of a command',
            'are in no trace',
            'are in no answer of its API',
          ],
          ['test/security/last-words.test.ts', 'say what a plugin'],
        ],
      },
      {
        promise: 'A connection shows the age of its credentials and warns from the 90th day on.',
        proofs: [http('connections', 'warns of credentials from their 90th day on')],
      },
    ],
  },
  {
    title: 'Sensitive values',
    text: sensitiveValues,
    lessons: [
      {
        promise:
          'Sensitive values, and values derived from them, are redacted wherever a run is shown. They leave the run only through inputs that accept them.',
        proofs: [
          [
            'test/playbook/sensitive.test.ts',
            'leave the run through no input of a shipped skill',
            'are so in everything that derives from them',
            'are followed through set, foreach, defaults, conditions and calls',
            'are given to another playbook only where that declares them too, and come back as it says',
          ],
          [
            'test/security/sensitive-values.test.ts',
            'are hidden where they stand and in what derives from them, and nowhere else',
            'are in no answer about the run or its case',
            'are in no line of the log',
          ],
        ],
      },
    ],
  },
  {
    title: 'Outbound requests',
    lessons: [
      {
        promise:
          'All outbound requests use one client. It reaches only names whose addresses are all public, unless the operator allows a private one, and never cloud metadata.',
        proofs: [
          [
            'test/egress/addresses.test.ts',
            'refuses a name when any one of its addresses is private',
            'does not reach another port, host or range',
            'refuses where clouds keep credentials',
            'takes no proxy from the environment',
          ],
          ['test/architecture/imports.test.ts', 'is held by the '],
        ],
      },
      {
        promise:
          'A request path never leaves the base path of its connection, whatever an alert puts into it, even if a gateway decodes it again.',
        proofs: [
          [
            'test/skill/address.test.ts',
            'stays below the base path also where a gateway decodes it again and again',
            'stays at the origin and below the base path, whatever the path holds',
          ],
          ['test/architecture/request-paths.test.ts', 'are given as segments wherever they hold a value'],
        ],
      },
      {
        promise:
          'Private addresses are reachable only through connections, with the allow list of the connection’s organization. A step without a connection learns neither an address nor whether a port is open.',
        proofs: [
          [
            'test/egress/addresses.test.ts',
            'reaches nothing of it without a connection',
            'gives each organization its own list',
            'does not lend a connection’s socket',
            'does not name the address',
          ],
        ],
      },
      {
        promise:
          'Certificates are always verified, whatever the environment says. The client does not follow redirects and does not retry.',
        proofs: [
          ['test/egress/addresses.test.ts', 'verifies certificates'],
          [
            'test/egress/exchange.test.ts',
            'gives back a redirect as it is',
            'gives back error statuses and retries nothing',
          ],
        ],
      },
      {
        promise:
          'Only the client sets the headers that frame a request, for skills, connections and tokens alike. Organizations never share a socket. So no body can be read as another request.',
        proofs: [
          [
            'test/egress/organizations.test.ts',
            'never share a socket',
            'are never cut into other requests',
            'are not sent where a header of anybody’s would frame them',
          ],
        ],
      },
      {
        promise: 'Reading an answer stops at its deadline and at 10 MB after decompression.',
        proofs: [
          [
            'test/egress/exchange.test.ts',
            'stops a body that unfolds without end',
            'stops reading a body that is too large',
            'also ends the wait for a free connection',
          ],
        ],
      },
    ],
  },
  {
    title: 'Inbound data',
    lessons: [
      {
        promise:
          'A webhook request is accepted once, within its rate and 256 KB, with the token of a connection, and with the vendor’s signature over the raw bytes, at most 300 seconds old.',
        proofs: [
          http(
            'webhooks',
            'are read up to 256 KB',
            'refuse an unknown token, a missing one, and one that stands twice',
            'are taken at a rate that strangers cannot use up',
          ),
          [
            'test/end-to-end/inbound.test.ts',
            'is refused like every other: ',
            'that is sent once more has no effect',
            'is not there, with the token and signature of another connection',
            'decides nothing as a GET',
          ],
        ],
      },
      {
        promise:
          'Over a connection, only the first answer in time of the person who was asked counts, and it must be one of the possible answers. If an API key answers instead, the record says so, whatever the name of the key.',
        proofs: [
          [
            'test/end-to-end/inbound.test.ts',
            'counts of the asked person only',
            'counts once: a second click',
            'comes too late after the timeout',
            'is one of the answers',
          ],
          [
            'test/end-to-end/messaging-checkpoint.test.ts',
            'takes no API key for the person who was asked, whatever its name is',
          ],
        ],
      },
      {
        promise:
          'The content of an alert is stored byte for byte and is only data everywhere: in generated playbooks, in messages, and on the web page.',
        proofs: [
          [
            'test/end-to-end/hostile-alerts.test.ts',
            'that hold ',
            'with lone surrogates are refused or kept',
          ],
          ['test/end-to-end/messaging-checkpoint.test.ts', 'shows what an alert wrote as mere text'],
        ],
      },
      {
        promise:
          'Any request to any route is answered as documented or with a problem document, and the server keeps running.',
        proofs: [
          http(
            'fuzz',
            'is done, or refused with a problem document',
            'with an odd value in any one parameter',
          ),
          http('grown-bodies', 'of '),
          http('bad-requests', 'shows nothing of an error that nobody foresaw'),
        ],
      },
      {
        promise:
          'Slow senders and readers are disconnected, bodies are read within a memory budget, and connections are limited.',
        proofs: [
          http(
            'server',
            'gives up on headers that do not end',
            'gives up on a body that does not end',
            'takes no more connections than it can hold',
            'reads no more bodies than it has memory for',
          ),
          http('slow-readers', 'that take nothing are left'),
        ],
      },
      {
        promise:
          'Dry runs are limited in steps, size and time, with one at a time per organization, and do not block other requests. Neither does a real run that only computes.',
        proofs: [
          http('dry-run-limits', 'keeps nobody from being answered', 'keeps no more than a bounded size'),
          http('dry-run-limits', 'let others have their turn', 'are run one at once for an organization'),
          http('dry-run', 'makes one at once for an organization', 'ends what takes too long'),
          ['test/engine/run-writes.test.ts', 'are waited for by a run that only calculates'],
        ],
      },
      {
        promise:
          'One customer’s streams and large runs do not block others: keys that see the same organizations have at most half of all streams, and runs are read for organizations in turn.',
        proofs: [
          http(
            'run-events',
            'are refused beyond so many of one key, of keys that see the same organizations',
          ),
          http('in-turn', 'is done one at a time, of each line in its order, and the lines take turns'),
        ],
      },
      {
        promise:
          'Checking, drawing, completing and explaining a playbook takes a moment, whatever its content. It happens one at a time, with organizations in turn, and yields as much time as it uses.',
        proofs: [
          http(
            'large-playbooks',
            'are read, drawn, completed and explained in a moment',
            'is done one after the other, and leaves others as much time',
            'is refused where too much of one key waits',
            'waits for one piece of work of other organizations',
            'is refused to keys that see the same organizations',
          ),
        ],
      },
      {
        promise:
          'The web page runs only its own scripts: its content security policy allows no other source, and style elements only with a nonce.',
        proofs: [
          http('page', 'allows only itself, and style elements with a nonce that is another one each time'),
          [
            'test/web/page.test.ts',
            'lets no text become an element or code, also where a script of the page would',
          ],
        ],
      },
    ],
  },
  {
    title: 'What is done, and who did it',
    lessons: [
      {
        promise:
          'Each deletion by the retention policy is recorded in the organization’s audit log in the same write: number, cut-off time and setting. The case shows what it lost.',
        proofs: [
          [
            'test/contract/retention-store.ts',
            'records for each organization what a piece deletes',
            'has the case count what it lost',
          ],
          ['test/sqlite/retention.test.ts', 'is whole at every moment: kill -9'],
          http('cases', 'say how many alerts and runs are kept no longer'),
        ],
      },
      {
        promise:
          'The audit log is append-only. Each entry is chained to the previous one and written in the same commit as its action.',
        proofs: [
          [
            'test/cli/audit.test.ts',
            'cannot be changed in the database, by any statement',
            'names the first entry that was changed',
            'finds a cut off end',
          ],
          http('audit', 'tells who did what by which request', 'never shows a secret or the value of a key'),
          http(
            'failed-authentications',
            'are in the audit log: from where, which key, and why',
            'of unknown keys hide no guess at a key that exists, nor its organization',
            'of one address hide no other address',
          ),
        ],
      },
      {
        promise:
          'Case entries identify their author by kind and id, which nobody can choose. An API key cannot pass for a run or the server by its name.',
        proofs: [
          http(
            'cases',
            'tell a key that is called ',
            'as a report say who did what, with nothing of it outside of code',
          ),
          ['test/web/case-page.test.ts', 'tells by kind and id who did something, whatever a key is called'],
          http('names', 'refuse for a '),
        ],
      },
      {
        promise: 'Destructive skills have an hourly limit; beyond it, they wait for a person.',
        proofs: [
          [
            'test/end-to-end/breaker.test.ts',
            'wait for an analyst over the API',
            'are approved by no key that asked for the run itself',
            'do not happen when they are refused',
          ],
          ['test/http/approval-by-session.test.ts', 'is refused, with the key and from its sessions'],
          [
            'test/engine/approved-by-another.test.ts',
            'is refused to keys that the requester created, directly or by keys in between',
          ],
        ],
      },
      {
        promise:
          'The process creates files for its owner only, and does not start in a data directory with foreign files that others can access.',
        proofs: [
          [
            'test/security/process.test.ts',
            'writes for its owner only',
            'does not start, and says what to do',
          ],
        ],
      },
      {
        promise:
          'No signal opens a debugger in the process. Plugins and child processes find no credentials in the environment.',
        proofs: [
          [
            'test/security/process.test.ts',
            'opens no inspector at SIGUSR1, and goes on',
            'opens none where another program starts the server',
            'shows no credential to plugins and child processes in its environment',
            'shows none to plugins that a command loads',
          ],
        ],
      },
      {
        promise:
          'The audit log is exported as it is recorded: each entry at least once, with the hashes of the chain, despite kills and outages.',
        proofs: [
          [
            'test/end-to-end/audit-export.test.ts',
            'loses nothing when the server is killed, reaches a receiver over TLS, and shows its lag',
          ],
          [
            'test/audit/audit-export.test.ts',
            'keeps what a receiver has not taken over restarts, and holds up no write meanwhile',
            'verifies the certificate over TLS',
            'escapes what would end structured data, and what would break lines',
            'never goes to where clouds keep credentials',
            'that is configured no more is forgotten, which is recorded',
          ],
        ],
      },
      {
        promise:
          'The audit log records case exports and views of keys and connections. A page that reloads them does not flood it.',
        proofs: [
          http(
            'audited-views',
            'are decided for every route that shows them',
            'are recorded once an hour for each key, however often a page is loaded: ',
            'of cases are recorded each time, with who and which format',
          ),
        ],
      },
      {
        promise:
          'The log records refused access with actor, action and object, in a limited number of lines.',
        proofs: [
          http(
            'access-refusals',
            'are logged at info, with who, what, to what and why',
            'that look like a missing thing, because it belongs to another organization, are told from missing things',
            'are as many lines as there are kinds of them, up to a hundred, however many come',
          ),
        ],
      },
    ],
  },
]
