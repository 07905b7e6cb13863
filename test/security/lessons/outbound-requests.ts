import type { Chapter } from './lesson.ts'

export const outboundRequests: Chapter = {
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
        ['test/architecture/imports.test.ts', 'is enforced by the'],
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
        ['test/architecture/request-paths.test.ts', 'pass values as segments'],
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
}
