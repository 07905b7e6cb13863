const lines = (...all: readonly string[]): string => [...all, ''].join('\r\n')

/** The attacker's message: its visible sender and link text are forged. */
export const phishMail = lines(
  'Return-Path: <bounce@parcel-tracking.example>',
  'Authentication-Results: mx.example.com; spf=pass smtp.mailfrom=parcel-tracking.example; dkim=none; dmarc=fail header.from=post.example',
  'Received: from mail.parcel-tracking.example (198.51.100.23) by mx.example.com; Mon, 2 Nov 2026 09:01:02 +0000',
  'From: "Post" <service@post.example>',
  'Reply-To: help@parcel-tracking.example',
  'To: ana.silva@example.com',
  'Subject: Your parcel is waiting',
  'Message-ID: <phish-1@parcel-tracking.example>',
  'Date: Mon, 2 Nov 2026 09:01:00 +0000',
  'MIME-Version: 1.0',
  'Content-Type: multipart/mixed; boundary="inner"',
  '',
  '--inner',
  'Content-Type: text/html; charset=utf-8',
  '',
  '<html><head><title>x</title></head><body><p>Pay 1.99 &euro; at <a href="https://parcel-tracking.example/pay?id=7&amp;u=ana">https://post.example</a></p><img src="http://198.51.100.23/pixel.gif"></body></html>',
  '--inner',
  'Content-Type: application/pdf; name="invoice.pdf.exe"',
  'Content-Disposition: attachment; filename="../../invoice.pdf.exe"',
  'Content-Transfer-Encoding: base64',
  '',
  'TVoh',
  '--inner--',
)

/** A person forwards it as an attachment. */
export const reportMail = lines(
  'Return-Path: <ana.silva@example.com>',
  'Authentication-Results: mx.example.com; spf=pass smtp.mailfrom=example.com; dkim=pass header.d=example.com; dmarc=pass header.from=example.com',
  'From: Ana Silva <ana.silva@example.com>',
  'To: phishing@example.com',
  'Subject: Fwd: Your parcel is waiting',
  'Message-ID: <report-2@example.com>',
  'Date: Mon, 2 Nov 2026 09:14:58 +0000',
  'MIME-Version: 1.0',
  'Content-Type: multipart/mixed; boundary="outer"',
  '',
  '--outer',
  'Content-Type: text/plain; charset=utf-8',
  '',
  'This looks odd to me. I did not open https://parcel-tracking.example/pay.',
  '--outer',
  'Content-Type: message/rfc822',
  'Content-Disposition: attachment',
  '',
  phishMail,
  '--outer--',
)

export const newsletter = lines(
  'From: News <news@vendor.example>',
  'To: phishing@example.com',
  'Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=',
  'Message-ID: <news-1@vendor.example>',
  'Date: Sun, 1 Nov 2026 07:00:00 +0000',
  'List-Id: <news.vendor.example>',
  'Content-Type: text/plain; charset=utf-8',
  '',
  'Nothing new.',
)

/** A report that a person of the sandbox sends. */
export const reportOf = (from: string, subject: string, id: string): string =>
  lines(
    `From: ${from}`,
    'To: phishing@example.com',
    `Subject: ${subject.replaceAll(/[\r\n]/g, ' ')}`,
    `Message-ID: <${id}@sandbox.example>`,
    'Content-Type: message/rfc822',
    '',
    phishMail,
  )
