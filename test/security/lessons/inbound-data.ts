import { http, type Chapter } from './lesson.ts'

export const inboundData: Chapter = {
  title: 'Inbound data',
  lessons: [
    {
      promise:
        'A webhook request is accepted once, within its rate and 1 MB, with the token of a connection, and with the vendor’s signature over the raw bytes, at most 300 seconds old.',
      proofs: [
        http(
          'webhooks',
          'are limited to 1 MB',
          'refuse an unknown, missing or duplicate token',
          'without a valid token have a rate limit of their own',
        ),
        [
          'test/end-to-end/inbound.test.ts',
          'is refused like every other: ',
          'has no effect if sent again, even after a restart',
          'gets 404 with the token and signature of another connection',
          'has no effect as a GET',
        ],
        http(
          'webhook-alerts',
          'with a wrong signature, a late time or a changed address are refused',
          'sent twice, also at the same time, is stored once',
          'are all stored if an error came between the alerts and the answer, once each',
          'cannot hold up others by a strange type',
        ),
      ],
    },
    {
      promise:
        'Over a connection, only the first answer in time of the person who was asked counts, and it must be one of the possible answers. If an API key answers instead, the record says so, whatever the name of the key.',
      proofs: [
        [
          'test/end-to-end/inbound.test.ts',
          'counts only from the asked person, and tells anyone else so once',
          'counts once: a second click is recorded without effect and explained after the reply',
          'after the timeout is recorded and explained, without effect',
          'is one of the answers of the question',
        ],
        [
          'test/end-to-end/messaging-checkpoint.test.ts',
          'accepts no API key as the asked person, whatever its name',
        ],
      ],
    },
    {
      promise:
        'A link in a mail answers one question for one person, once and in time. Opening it answers nothing, so that mail scanners do no harm, and a changed link is refused.',
      proofs: [
        [
          'test/end-to-end/mail-ask.test.ts',
          'is answered on the page of a link, once, also after a restart',
          'is not answered by programs that open links, however often',
          'counts one answer of many that arrive at the same time',
          'refuses changed links without a reason',
          'says when it is too late',
          'shows hostile text as text, on a page that can do nothing',
        ],
        ['plugins/mail/ask.test.ts', 'contains its signed values, and is refused if one differs'],
      ],
    },
    {
      promise:
        'The content of an alert is stored byte for byte and is only data everywhere: in generated playbooks, in messages, and on the web page.',
      proofs: [
        [
          'test/end-to-end/hostile-alerts.test.ts',
          'with',
          'with lone surrogates are refused or stored unchanged',
        ],
        ['test/end-to-end/messaging-checkpoint.test.ts', 'shows alert content as plain text'],
      ],
    },
    {
      promise:
        'Any request to any route is answered as documented or with a problem document, and the server keeps running.',
      proofs: [
        http(
          'fuzz',
          'succeeds or gets a problem document, and the server keeps working',
          'with an odd value in any query parameter succeeds or is refused',
        ),
        http('grown-bodies', 'of '),
        http('bad-requests', 'hides the details of an unexpected error and logs it'),
      ],
    },
    {
      promise:
        'Slow senders and readers are disconnected, bodies are read within a memory budget, and connections are limited.',
      proofs: [
        http(
          'server',
          'times out endless headers',
          'times out endless bodies',
          'limits the number of connections',
          'limits the memory for concurrent bodies and reads on as responses finish',
        ),
        http('slow-readers', 'that stall are disconnected'),
      ],
    },
    {
      promise:
        'Dry runs are limited in steps, size and time, with one at a time per organization, and do not block other requests. Neither does a real run that only computes.',
      proofs: [
        http(
          'dry-run-limits',
          'does not block other requests and keeps a bounded number of steps',
          'keeps a bounded size of step data',
        ),
        http(
          'dry-run-limits',
          'yield to other requests and run a bounded number of steps',
          'run one at a time per organization',
        ),
        http(
          'dry-run',
          'run one at a time per organization and stop if the client disconnects',
          'aborts a dry run that exceeds its time and admits the next',
        ),
        [
          'test/engine/run-writes.test.ts',
          'are awaited by a run that only computes before they fill the memory',
        ],
      ],
    },
    {
      promise:
        'One customer’s streams and large runs do not block others: keys that see the same organizations have at most half of all streams, and runs are read for organizations in turn.',
      proofs: [
        http(
          'run-events',
          'are limited per key, per set of organizations and in total, and an ended stream makes room',
        ),
        http('in-turn', 'runs one task at a time, in order per line, and alternates between lines'),
      ],
    },
    {
      promise:
        'Checking, drawing, completing and explaining a playbook takes a moment, whatever its content. It happens one at a time, with organizations in turn, and yields as much time as it uses.',
      proofs: [
        http(
          'large-playbooks',
          'is validated, drawn, completed and explained quickly:',
          'runs one task at a time and leaves half of the time to others',
          'is refused only for the key that has too much queued',
          'waits for at most one task of other organizations, however much they have queued',
          'is refused to keys of the same organizations, and to all keys, if too much is queued',
        ),
      ],
    },
    {
      promise:
        'The web page runs only its own scripts: its content security policy allows no other source, and style elements only with a nonce.',
      proofs: [
        http('page', 'has a policy that allows only its own files, and style elements with a fresh nonce'),
        ['test/web/page.test.ts', 'never turns text into markup or code'],
      ],
    },
  ],
}
