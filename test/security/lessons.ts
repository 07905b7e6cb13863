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

const formsOfSecrets = `Known secrets are looked for as text: as they are; with any of their characters escaped for JSON, JavaScript, URLs or HTML, in either letter case and in up to
four layers; in hex, either case; and inside of base64 or base64url, at any place of a longer text, also of one that holds the secret as
JSON serializers, URLs or HTML escape it, or in UTF-16. Not found are secrets that another system changes otherwise: compressed, encrypted, hashed, reversed, in base64 with line breaks, or cut into pieces. The
search takes time in proportion to the text, whatever the text is.`

const sensitiveValues = `A playbook marks an input with \`sensitive: true\`, or a field of a schema with \`x-sensitive: true\`; a skill marks fields of its output. What counts is
where a value comes from, not what it reads like: a word that also stands in an unmarked field is not hidden there.

- A value is as sensitive as the field that it is read from. What an expression makes of it is sensitive as a whole: \`inputs.pin.upperAscii()\`,
  \`sha256(inputs.pin)\`, a list or map that holds it, text around it. \`set\`, \`foreach\`, defaults, outputs and called playbooks carry this on.
- True and false, \`size()\` and \`type()\` are not sensitive, nor is what a condition only chooses: \`inputs.pin == '1' ? 'yes' : 'no'\`.
- \`alert.content\` is sensitive where the playbook marks anything under \`alert\`.
- A sensitive value leaves the run through no input of a skill, question, message or called playbook that does not accept it: E315, before anything
  runs. No skill that is shipped accepts one: neither cases nor \`http\` nor the vendors' skills. A plugin declares an input that does, with
  \`x-accepts-sensitive\`. Called playbooks declare their inputs \`sensitive\`.
- Views of a run (page, API, streams, cases, exports, dry runs, the command line, the audit log) show \`[redacted]\` in its place.
- What another system sends back is sensitive only where its skill marks it. In errors and log lines of a call, the sensitive texts that the call was
  given are replaced, from four characters on.
- An alert shows all of its content to whoever may read alerts, and is stored as it came.`

export const chapters: readonly Chapter[] = [
  {
    title: 'Keys, sessions, organizations',
    lessons: [
      {
        promise:
          'An API key is stored as its id and a SHA-256, has a role, may be limited to organizations, may expire, and stops working with its revocation.',
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
          'A stream of events ends at once when its key is revoked or its session is signed out, within 15 seconds when either expires, and tells nothing of other organizations, nor what its role may not see.',
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
          'A key comes as the cookie `Session` or as a bearer token, once; the server never sets that cookie.',
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
          'Who signs in to the web page gets a session of its own: HttpOnly, SameSite=Strict, Secure over TLS, a random token that is stored hashed and new with each sign-in, and ends by idleness, by age, and with its key.',
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
          'Where a request comes from is the other end of its connection; a proxy that the operator trusts is believed what it wrote itself, and nothing that a sender wrote in front of it.',
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
          'A browser acts for nobody on another web site: `Sec-Fetch-Site` and `Origin` must be the server’s own, bodies are JSON, there is no CORS, and GET changes nothing.',
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
          'Every route says who may use it; what belongs to another organization is not there, whatever the spelling of its id. A route without a row in the table of tests fails.',
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
          'The cursors of lists are sealed: nobody learns from them how many alerts, cases and runs other organizations have.',
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
          'Nobody sets what the platform decides: unknown fields and parameters are refused, and `__proto__` is plain data.',
        proofs: [
          http('bad-requests', 'names the field that was probably meant', 'refuses the query '),
          ['test/end-to-end/hostile-alerts.test.ts', 'of a type that is ', 'that hold '],
        ],
      },
      {
        promise:
          'No encoded or doubled slash, backslash, fragment, suffix or letter case leads around a protected path.',
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
          'Secrets of connections are sealed with AES-256-GCM, bound to their place and the version of the key; swapped, cut or changed ciphertexts do not open.',
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
          'The master key is a file that nobody else can read, made at the first start, or comes from the environment; there is no default, and a weak or damaged one is refused.',
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
          'The API takes secrets and never gives one back; a secret goes to no other address than the one it was entered for.',
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
        promise:
          'No secret of a connection, nor a token that was received, stands in logs, files or answers.',
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
        promise: 'A connection shows the age of its credentials, and warns from their 90th day on.',
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
          'Sensitive values are hidden at their places, and in what derives from them, wherever a run is shown; they leave it only through inputs that accept them.',
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
    title: 'The way out',
    lessons: [
      {
        promise:
          'There is one way out of the process. It reaches public addresses alone, by every address that a name has, unless the operator allows a private one; never the metadata of a cloud.',
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
          'A request path never leaves the base path of its connection, whatever an alert puts into it, also where a gateway decodes it again.',
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
          'Private addresses are reached through connections alone, by the list of the connection’s organization. A step without a connection learns neither an address nor whether a port is open.',
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
          'Certificates are verified, whatever the environment says; redirects are not followed; nothing is retried here.',
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
          'What frames a request is set here alone, for skills, connections and tokens alike, and no two organizations share a socket: nobody’s body is read as another request.',
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
        promise: 'An answer ends at its deadline and at 10 MB as unpacked.',
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
    title: 'What comes in',
    lessons: [
      {
        promise:
          'A webhook is taken within its rate and 256 KB, by the token of a connection and the signature of the vendor over the bytes as they came, within 300 seconds, once.',
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
          'Over a connection only the answer of the person who was asked counts, the first one, in time, and it must be one of the answers; an API key that answers in their place is said to be one, whatever its name is.',
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
          'The content of an alert is kept byte for byte, and is data everywhere: in playbooks that are made for it, in messages, and on the page.',
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
          'Whatever is sent to whichever route, the answer is what the route says or a problem document, and the server goes on.',
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
          'Slow senders and readers are cut off, bodies are read within a budget of memory, and connections are counted.',
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
          'A playbook that somebody tries out is bounded in steps, in size and in time, one at once for an organization, and keeps nobody from being answered; no more does one that runs in earnest and only calculates.',
        proofs: [
          http('dry-run-limits', 'keeps nobody from being answered', 'keeps no more than a bounded size'),
          http('dry-run-limits', 'let others have their turn', 'are run one at once for an organization'),
          http('dry-run', 'makes one at once for an organization', 'ends what takes too long'),
          ['test/engine/run-writes.test.ts', 'are waited for by a run that only calculates'],
        ],
      },
      {
        promise:
          'However many streams one customer opens, and however many large runs it reads, others have theirs: half of all streams at most are of keys that see the same organizations, and runs are read for organizations in turn.',
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
          'Whatever playbook somebody sends to be checked, drawn, completed or explained is worked on in a moment, one at a time, organizations in turn, and leaves others as much time as it takes.',
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
          'The web page runs its own scripts alone: its content security policy allows no other source, and style elements by a nonce.',
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
          'What retention deletes stands in the audit log of its organization, in the same write: how much, up to when, by which setting; its case says what it lost.',
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
          'The audit log can only be added to, each entry is chained to the one before, and is written with what it tells of.',
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
          'What stands in a case says who wrote it by kind and id, which nobody chooses; the name of an API key, however it is called, is not taken for a run or for the server.',
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
        promise: 'A destructive skill is used so often in an hour, and then waits for a person.',
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
          'The process writes for its owner only, and does not start where others may enter what is not its own.',
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
          'No signal opens a debugger in the process, and plugins and child processes find no credential in its environment.',
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
          'The audit log is exported as it is recorded, each entry at least once and with the hashes of the chain, whatever is killed or down meanwhile.',
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
          'Exports of cases, and who looks at keys and connections, stand in the audit log; a page that loads them again and again does not drown it.',
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
          'Who is refused access stands in the log, with what they wanted to do and to what, in a bounded number of lines.',
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
