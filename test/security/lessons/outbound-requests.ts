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
          'refuses a name if any of its addresses is private',
          'does not reach another port, host or range',
          'ignores proxies in the environment',
        ],
        ['test/egress/allow-list.test.ts', 'refuses cloud metadata addresses even if allowed'],
        ['test/architecture/imports.test.ts', 'is enforced by the'],
      ],
    },
    {
      promise:
        'Connections for other protocols, such as IMAP and SMTP, follow the same rules and are always encrypted. Nothing is sent in clear text, even if STARTTLS is removed on the way.',
      proofs: [
        [
          'test/egress/sockets.test.ts',
          'reaches only addresses that connections may reach, whatever their name resolves to',
          'sends nothing to',
          'begins TLS after STARTTLS, and shows nothing of the clear text',
        ],
      ],
    },
    {
      promise:
        'A request path never leaves the base path of its connection, whatever an alert puts into it, even if a gateway decodes it again.',
      proofs: [
        [
          'test/skill/address.test.ts',
          'stays below the base path, even if a gateway decodes it repeatedly',
          'stays at the origin and below the base path for any path',
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
          'requires a connection, and otherwise reports open and closed ports alike',
          'uses the list of an organization, or else the common one',
          'does not share a connection’s socket with requests without one',
          'hides the address from requests without a connection',
        ],
      ],
    },
    {
      promise:
        'Certificates are always verified, whatever the environment says. The client does not follow redirects and does not retry.',
      proofs: [
        ['test/egress/addresses.test.ts', 'verifies certificates even if the environment disables it'],
        [
          'test/egress/exchange.test.ts',
          'returns a redirect without following it',
          'returns error statuses and retries nothing',
        ],
      ],
    },
    {
      promise:
        'Only the client sets the headers that frame a request, for skills, connections and tokens alike. Organizations never share a socket. So no body can be read as another request.',
      proofs: [
        [
          'test/egress/organizations.test.ts',
          'never share a socket, unlike those of one',
          'never affect each other, because no connection may set framing headers',
          'are not sent with framing headers from any source',
        ],
      ],
    },
    {
      promise: 'Reading an answer stops at its deadline and at 10 MB after decompression.',
      proofs: [
        [
          'test/egress/exchange.test.ts',
          'stops a decompression bomb within bounded memory',
          'stops reading a body that is too large',
          'also ends the wait for a free connection',
        ],
      ],
    },
  ],
}
