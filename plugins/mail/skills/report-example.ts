/** The report in the sandbox, read. */
export const reportExample = {
  title: 'A phishing message that a user reported',
  synthetic: true,
  input: { uid: 2, uid_validity: '1767225600' },
  output: {
    mailbox: 'INBOX',
    uid: 2,
    uid_validity: '1767225600',
    received_at: '2026-11-02T09:15:00.000Z',
    size: 1677,
    flags: [],
    headers_only: false,
    message: {
      message_id: '<report-2@example.com>',
      date: '2026-11-02T09:14:58.000Z',
      subject: 'Fwd: Your parcel is waiting',
      from: [{ name: 'Ana Silva', address: 'ana.silva@example.com' }],
      reply_to: [],
      to: [{ name: '', address: 'phishing@example.com' }],
      cc: [],
      return_path: 'ana.silva@example.com',
      authentication: [
        {
          trusted: true,
          server: 'mx.example.com',
          spf: 'pass',
          dkim: 'pass',
          dmarc: 'pass',
          text: 'mx.example.com; spf=pass smtp.mailfrom=example.com; dkim=pass header.d=example.com; dmarc=pass header.from=example.com',
        },
      ],
      headers: [
        { name: 'return-path', value: '<ana.silva@example.com>' },
        {
          name: 'authentication-results',
          value:
            'mx.example.com; spf=pass smtp.mailfrom=example.com; dkim=pass header.d=example.com; dmarc=pass header.from=example.com',
        },
        { name: 'from', value: 'Ana Silva <ana.silva@example.com>' },
        { name: 'to', value: 'phishing@example.com' },
        { name: 'subject', value: 'Fwd: Your parcel is waiting' },
        { name: 'message-id', value: '<report-2@example.com>' },
        { name: 'date', value: 'Mon, 2 Nov 2026 09:14:58 +0000' },
        { name: 'mime-version', value: '1.0' },
        { name: 'content-type', value: 'multipart/mixed; boundary="outer"' },
      ],
      text: 'This looks odd to me. I did not open https://parcel-tracking.example/pay.',
      text_truncated: false,
      links: ['https://parcel-tracking.example/pay'],
      attachments: [
        {
          name: 'message-1.eml',
          type: 'message/rfc822',
          size: 1010,
          sha256: '5d4573513655132976f67fe5355d6f51ea76f56f4389ed09f70f5eabb1584850',
          md5: '7d90616ac19ee5383ead74bb04566883',
        },
      ],
    },
    inner: [
      {
        sha256: '5d4573513655132976f67fe5355d6f51ea76f56f4389ed09f70f5eabb1584850',
        message: {
          message_id: '<phish-1@parcel-tracking.example>',
          date: '2026-11-02T09:01:00.000Z',
          subject: 'Your parcel is waiting',
          from: [{ name: 'Post', address: 'service@post.example' }],
          reply_to: [{ name: '', address: 'help@parcel-tracking.example' }],
          to: [{ name: '', address: 'ana.silva@example.com' }],
          cc: [],
          return_path: 'bounce@parcel-tracking.example',
          authentication: [
            {
              trusted: false,
              server: 'mx.example.com',
              spf: 'pass',
              dkim: 'none',
              dmarc: 'fail',
              text: 'mx.example.com; spf=pass smtp.mailfrom=parcel-tracking.example; dkim=none; dmarc=fail header.from=post.example',
            },
          ],
          headers: [
            { name: 'return-path', value: '<bounce@parcel-tracking.example>' },
            {
              name: 'authentication-results',
              value:
                'mx.example.com; spf=pass smtp.mailfrom=parcel-tracking.example; dkim=none; dmarc=fail header.from=post.example',
            },
            {
              name: 'received',
              value:
                'from mail.parcel-tracking.example (198.51.100.23) by mx.example.com; Mon, 2 Nov 2026 09:01:02 +0000',
            },
            { name: 'from', value: '"Post" <service@post.example>' },
            { name: 'reply-to', value: 'help@parcel-tracking.example' },
            { name: 'to', value: 'ana.silva@example.com' },
            { name: 'subject', value: 'Your parcel is waiting' },
            { name: 'message-id', value: '<phish-1@parcel-tracking.example>' },
            { name: 'date', value: 'Mon, 2 Nov 2026 09:01:00 +0000' },
            { name: 'mime-version', value: '1.0' },
            { name: 'content-type', value: 'multipart/mixed; boundary="inner"' },
          ],
          text: 'Pay 1.99 &euro; at https://post.example',
          text_truncated: false,
          links: [
            'https://parcel-tracking.example/pay?id=7&u=ana',
            'http://198.51.100.23/pixel.gif',
            'https://post.example',
          ],
          attachments: [
            {
              name: 'invoice.pdf.exe',
              type: 'application/pdf',
              size: 3,
              sha256: '2500669f94fbd3db05623d6ca0430e3d3f8757766669b820dabe5e9620362fb0',
              md5: '5fe53c1c2dd02e157d539c7363e48d59',
            },
          ],
        },
        problem: null,
      },
    ],
  },
} as const
