import { pathText, type HttpClient, type RequestPath } from 'tocsin/plugin'
import type { Permission } from '../permissions.ts'
import { refusal, vendorRefusals } from '../vendor-error.ts'

/**
 * Reads one record.
 *
 * @throws SkillError `not_found` or `resource_not_found` if it does not exist
 */
export async function readRecord<T>(
  http: HttpClient,
  path: RequestPath,
  needs: Permission,
  decode: (record: unknown) => T,
): Promise<T> {
  const response = await http.get(path, { accept: vendorRefusals })
  if (response.status >= 400) throw refusal(`GET ${pathText(path)}`, response, needs)
  return decode(response.json())
}
