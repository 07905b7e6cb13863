import { createHash, createHmac } from 'node:crypto'
import { percentEncode, type RequestToSign } from '../../plugin/index.ts'

export interface AwsCredentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken: string | undefined
  readonly region: string
  readonly service: string
}

/**
 * The headers of AWS Signature Version 4.
 *
 * @param request its path is encoded once, as sent; the canonical path is encoded again, except for `s3`
 */
export function awsSignature(
  request: RequestToSign,
  credentials: AwsCredentials,
): Readonly<Record<string, string>> {
  const { accessKeyId, secretAccessKey, sessionToken, region, service } = credentials
  const url = new URL(request.url)
  const time = new Date(request.nowMs).toISOString().replaceAll(/[:-]|\.\d{3}/g, '')
  const date = time.slice(0, 8)
  const payload = sha256(request.body)
  const added: Readonly<Record<string, string>> = {
    'x-amz-date': time,
    ...(sessionToken === undefined ? {} : { 'x-amz-security-token': sessionToken }),
    ...(service === 's3' ? { 'x-amz-content-sha256': payload } : {}),
  }
  const type = request.headers['content-type']
  const signed = { ...added, host: url.host, ...(type === undefined ? {} : { 'content-type': type }) }
  const names = Object.keys(signed).toSorted()
  const lines = names.map(
    (name) =>
      `${name}:${String(signed[name as never])
        .trim()
        .replaceAll(/ +/g, ' ')}\n`,
  )
  const path = service === 's3' ? url.pathname : url.pathname.split('/').map(percentEncode).join('/')
  const canonical = [request.method, path, sortedQuery(url), lines.join(''), names.join(';'), payload].join(
    '\n',
  )
  const scope = `${date}/${region}/${service}/aws4_request`
  const text = `AWS4-HMAC-SHA256\n${time}\n${scope}\n${sha256(canonical)}`
  const key = [date, region, service, 'aws4_request'].reduce<string | Buffer>(
    (secret, part) => createHmac('sha256', secret).update(part).digest(),
    `AWS4${secretAccessKey}`,
  )
  const signature = createHmac('sha256', key).update(text).digest('hex')
  return {
    ...added,
    authorization: `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${names.join(';')}, Signature=${signature}`,
  }
}

const sha256 = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex')

function sortedQuery({ search }: URL): string {
  const pairs = search
    .slice(1)
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => pair.split('=', 2).map((part) => percentEncode(decodeURIComponent(part))))
  return pairs
    .map(([name = '', value = '']) => `${name}=${value}`)
    .toSorted()
    .join('&')
}
