import { http, type Chapter } from './lesson.ts'

const formsOfSecrets = `Tocsin searches texts for known secrets in these forms:

- raw, or with any characters escaped for JSON, JavaScript, URLs or HTML, in either letter case and up to four layers;
- in hex, in either letter case;
- inside base64 or base64url, at any place of a longer text, also if that text contains the secret as JSON serializers, URLs or HTML escape it, or in UTF-16.

It does not find secrets that another system changed in other ways: compressed, encrypted, hashed, reversed, in base64 with line breaks, or cut into pieces. The search takes
time proportional to the length of the text.`

export const secrets: Chapter = {
  title: 'Secrets',
  lessons: [
    {
      promise:
        'Secrets of connections are encrypted with AES-256-GCM, bound to their place and the version of the key. Swapped, truncated or changed ciphertexts are rejected.',
      proofs: [
        [
          'test/secrets/secret-box.test.ts',
          'seals the same secret differently each time, and never in plain text',
          'opens nothing under another field',
          'refuses changed, truncated and foreign ciphertext',
        ],
      ],
    },
    {
      promise:
        'The master key is a file readable only by its owner, generated at the first start, or comes from the environment. There is no default, and a weak or damaged key is refused.',
      proofs: [
        [
          'test/secrets/master-key.test.ts',
          'writes a file that only its owner can read, regardless of the umask',
          'refuses a key of the wrong length',
          'refuses a damaged file instead of creating a new one',
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
          'returns one connection to every reader, without its secrets',
          'replaces one secret and shows none',
          'refuses a secret too short to redact, as POST does',
          'refuses a new origin unless every secret is given again',
          'refuses a new path on the same origin unless every secret is given again',
          'merges two concurrent changes and never restores a replaced secret',
        ),
        ['test/skill/http-connection.test.ts', 'refuses'],
      ],
    },
    {
      promise: 'No secret of a connection and no received token appears in logs, files or answers.',
      text: formsOfSecrets,
      proofs: [
        [
          'test/skill/redactor.test.ts',
          'hides a secret with escaped characters, even in several layers',
          'hides a secret in hex, and at any offset inside longer base64',
          'hides everything in a text made to slow it down',
        ],
        ['test/secrets/live-secrets.test.ts', 'are redacted in every form, longest first'],
        [
          'test/security/canaries.test.ts',
          'never reach its log',
          'never reach a file of its data directory',
          'never reach a metric, stream, report or command output',
          'never reach a trace',
          'never reach a response of its API',
        ],
        ['test/security/last-words.test.ts', 'is logged without secrets if a plugin'],
      ],
    },
    {
      promise:
        'A reference of a connection reads only the area of its organization: variables that the operator lists, files below its folder, Vault below its path. It cannot read the master key or other variables of the process.',
      proofs: [
        [
          'test/secrets/secret-sources.test.ts',
          'are those that the operator allows this organization',
          'are no others, and no answer tells whether there is one',
          'are those in the folder of the organization alone',
          'in Vault are those below the path of the organization',
        ],
        http('secret-references', 'take a reference to no other address unless it is entered again'),
        http(
          'reference-addresses',
          'does not come from a reference while a stored secret would be sent there',
        ),
      ],
    },
    {
      promise:
        'Values of references are redacted like stored secrets, also after a rotation. The token of Vault goes only to the addresses that the operator lists.',
      proofs: [
        [
          'test/end-to-end/secrets-elsewhere.test.ts',
          'are used by skills, and hidden if the other system repeats them',
          'are used with their new value at the next call after a rotation',
        ],
        ['test/secrets/vault.test.ts', 'never send the token to a node that is not configured'],
      ],
    },
    {
      promise:
        'A [sign-in to a vendor](sign-in.md) uses PKCE. Its answer counts once, within ten minutes, for the session or key that started it, and for the connection as it was then. Tokens are sent to no other address than those they were issued for.',
      proofs: [
        [
          'test/sign-in/api.test.ts',
          'sends the browser to the vendor with PKCE, and back to an address for the plugin',
          'exchanges a code once',
          'refuses a state that is wrong, expired, or of another key or session',
          'binds a sign-in to the session of the browser',
          'refuses the answer if the connection changed meanwhile',
          'refuses an answer of another server, or of none (RFC 9207)',
          'shows the error of the vendor as plain text',
          'discards the tokens when the client or an address changes, and keeps them otherwise',
        ],
        ['test/sign-in/renewal.test.ts', 'are not used for another client or address'],
        ['test/end-to-end/sign-in.test.ts', 'keeps no token in readable form'],
      ],
    },
    {
      promise:
        'A refresh token is used once, unless the plugin declares that it can be reused: a lost answer ends the sign-in. The new tokens are on disk before they are used.',
      proofs: [
        [
          'test/sign-in/renewal.test.ts',
          'are renewed once for 50 concurrent calls',
          'are on disk before a renewed one is used',
          'need a new sign-in after the answer to a renewal was lost',
        ],
        [
          'test/end-to-end/sign-in.test.ts',
          'never sends a refresh token again after a kill -9, and asks for a new sign-in',
        ],
      ],
    },
    {
      promise: 'A connection shows the age of its credentials and warns from the 90th day on.',
      proofs: [http('connections', 'warns about credentials that are 90 days old until they are replaced')],
    },
  ],
}
