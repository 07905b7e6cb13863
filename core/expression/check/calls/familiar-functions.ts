/**
 * Names of functions in other languages: JavaScript, Python, Jinja, JMESPath, jq, GitHub Actions, Terraform,
 * Splunk, KQL and spreadsheets. A test checks that each hint uses functions that exist.
 */
const hints: Readonly<Record<string, string>> = {
  'write lower(), or lowerAscii() for A to Z only':
    'toLowerCase lowercase downcase ascii_downcase tolower toLower lcase',
  'write upper(), or upperAscii() for A to Z only':
    'toUpperCase uppercase upcase ascii_upcase toupper toUpper ucase',
  'write title()': 'titlecase capitalize toTitleCase initcap proper ucfirst',
  'write trim()': 'strip trimStart trimEnd trimLeft trimRight ltrim rtrim lstrip rstrip trimspace trimSpace',
  'write text.contains(part), or value in list':
    'includes has_any has_all inside member isin string_contains containsValue',
  'write value in list, or key in map': 'has_key hasKey containsKey has_value',
  'write text.startsWith(prefix)': 'startswith starts_with hasPrefix begins_with beginsWith ltrimstr',
  'write text.endsWith(suffix)': 'endswith ends_with hasSuffix rtrimstr',
  'write size(x)': 'len length count strlen array_length dcount char_length mvcount',
  'now is a name: write it without ()': 'now',
  'write now': 'today utcnow current_timestamp getdate sysdate',
  'write timestamp(…)': 'date todatetime datetime fromdateiso8601 fromisoformat to_datetime as_datetime Date',
  'write parseTime(text, "%Y-%m-%d %H:%M:%S")':
    'strptime parseDate date_parse to_timestamp parse_date parse_datetime datetime_parse',
  'write time.format("%Y-%m-%d %H:%M:%S", "Europe/Berlin")':
    'strftime date_format format_datetime formatDate formatTime formatdate dateFormat toISOString isoformat todate',
  'write int(time), which are seconds':
    'timestamp_seconds to_epoch epoch unixtimestamp to_unix_timestamp mktime getTime datetime_to_unix',
  'write timestamp(seconds)':
    'fromtimestamp from_unixtime unix_to_datetime fromUnix strflocaltime unixtimestamp_todatetime',
  'subtract times: (now - timestamp(text)) > duration("1h")':
    'datediff date_diff datetime_diff timedelta diffDates dateDiff',
  'add a duration: now + duration("1h")': 'dateadd date_add addHours addDays addMinutes datetime_add',
  'write list.exists(x, condition)': 'some any anyMatch Any',
  'write list.all(x, condition)': 'every allMatch All',
  'write list.filter(x, condition)': 'select where reject selectattr rejectattr grep FILTER compact findAll',
  'write list.filter(x, condition).first(), which is an optional': 'find detect findFirst first_or_default',
  'write list.map(x, value)': 'collect each for_each forEach pluck MAP Map mapcat',
  'write list.map(x, list2).flatten()': 'flatMap flat_map mapMany selectMany',
  'write list.flatten()': 'flat flatten_deep flattenDeep concatlists mvexpand',
  'write list.distinct()':
    'unique uniq dedup set toset distinct_values unique_values mvdedup arrayDistinct UNIQUE make_set',
  'write list.groupBy(x, x.id).transformList(id, all, all[0])':
    'uniqBy unique_by uniq_by distinctBy distinct_by dedupBy',
  'write list.groupBy(x, key)': 'group_by groupby group partition',
  'write list.groupBy(x, key).transformMap(k, all, size(all))':
    'countBy count_by countby value_counts frequencies',
  'write list.indexBy(x, key)': 'keyBy key_by index_by associateBy toMap to_map',
  'write list.sort()': 'sorted order orderBy asort mvsort array_sort sort_array',
  'write list.sortBy(x, key)': 'sort_by sortby sort_with orderby order_by sortOn',
  'write list.sort().reverse()': 'rsort',
  'write list.reverse()': 'reversed array_reverse',
  'write list.sortBy(x, key).first(), which is an optional': 'minBy min_by minby arg_min',
  'write list.sortBy(x, key).last(), which is an optional': 'maxBy max_by maxby arg_max',
  'write list.map(x, value).sum()': 'sumBy sum_by sumOf reduce fold aggregate accumulate',
  'write list.avg()': 'mean average AVERAGE',
  'write list.sum()': 'add SUM total summarize',
  'write list.slice(from, to), or text.substring(from, to)':
    'substr mid SUBSTR subarray sublist mvindex array_slice',
  'write list.take(n), or text.substring(0, n)': 'limit head top left first_n truncate LEFT',
  'write list.slice(size(list) - n)': 'tail last_n skip drop takeLast take_last right',
  'write list[index], or list[?index] for an optional': 'nth elementAt element getAt INDEX',
  'write lists.range(n)': 'range sequence xrange generate_series seq',
  'write map.map(k, k)': 'keys map_keys bag_keys mapkeys json_keys getKeys keys_unsorted',
  'write map.transformList(k, v, v)': 'values map_values mapvalues getValues vals',
  'write map.transformList(k, v, {"key": k, "value": v})':
    'entries items to_entries toPairs dict2items to_pairs',
  'write list.transformMapEntry(i, x, {x.key: x.value})':
    'from_entries fromEntries fromPairs items2dict dict from_pairs',
  'write names.zipMap(values)': 'zip zipmap zipObject zip_object zip_longest pack_dictionary',
  'write left.merge(right)':
    'assign combine extend mergeDeep deep_merge bag_merge merge_objects spread update',
  'write {"key": value}': 'object pack bag_pack json_object',
  'join strings and lists with +':
    'concat strcat append push concatenate CONCAT string_concat cat array_concat',
  'write list.join(", ")': 'implode mvjoin strcat_array join_list string_join TEXTJOIN joinArray',
  'write text.split(",")': 'explode tokenize makemv split_string splitlines mvsplit string_split',
  'write x.?field.orValue(default)':
    'get default coalesce getOrDefault get_or_default ifnull nvl isnull firstNonNull default_if_none dig getPath',
  'write has(x.field), or x != null':
    'isDefined is_defined defined isnotnull isNotNull isnotempty hasField present',
  'write x == null, or !has(x.field)':
    'isNull is_null isempty is_none isundefined isNil isEmpty empty blank is_empty',
  'write condition ? value : other': 'iff iif ternary cond choose if_else IF case_when',
  'write int(…)': 'parseInt toint tolong toInteger to_int integer parse_int BigInt to_i uint',
  'write double(…)':
    'parseFloat float number tonumber toNumber todouble to_number to_double Number parse_float numeric decimal real',
  'write string(…), or json(…) for lists and maps': 'str toString tostring to_string String text to_s',
  'write bool(…)': 'tobool boolean toBoolean to_bool Boolean parse_bool',
  'write type(x) == string':
    'isString typeof is_string isinstance gettype is_list isArray is_array isList isNumber is_number is_map isObject instanceof type_of typeOf',
  'write json(…)': 'toJSON tojson to_json stringify json_encode dumps jsonencode JSON encode_json',
  'write parseJson(…)':
    'fromJSON fromjson from_json json_decode loads parse_json jsondecode JSONParse parsejson json_parse decode_json todynamic',
  'write text.matches(pattern)':
    'match test search regex regex_match is_match matches_regex REGEXMATCH rlike regexMatch re_match like regexp_like regexp',
  'write regex.extract(text, pattern), which is an optional':
    'capture regex_search regex_extract regexExtract REGEXEXTRACT regexp_extract exec re_search regexp_substr',
  'write regex.extractAll(text, pattern)':
    'matchAll findall regex_findall extract_all scan FindAllString regexp_matches match_all',
  'write regex.groups(text, pattern), which is an optional': 'named_groups groupdict captures rex parse',
  'write regex.replace(text, pattern, replacement)':
    'sub gsub regex_replace replaceRegex replace_regex REGEXREPLACE regexReplace regexp_replace',
  'write text.replace(part, by)': 'replaceAll replace_all substitute SUBSTITUTE str_replace strreplace',
  'write base64.encode(text)': 'b64encode base64encode btoa base64_encode toBase64 base64_encode_tostring',
  'write base64.decode(text), or base64.decode(text, "utf-16le") for PowerShell':
    'b64decode base64decode atob base64_decode fromBase64 base64_decode_tostring',
  'write hex.encode(text)': 'hexlify bin2hex toHex to_hex hex_encode tohex',
  'write hex.decode(text)': 'unhexlify hex2bin fromHex from_hex hex_decode unhex',
  'write sha256(text)': 'hash sha2 SHA256 hash_sha256 hashFiles digest sha256_hash checksum',
  'write md5(text)': 'MD5 hash_md5 md5sum',
  'write sha1(text)': 'SHA1 hash_sha1 sha sha1sum',
  'write hmac(text, key)': 'hmac_sha256 hmacSha256 HMAC hmacsha256',
  'write urlEncode(text)':
    'encodeURIComponent encodeURI urlencode url_encode quote_plus uri percentEncode url_quote',
  'write urlDecode(text)':
    'decodeURIComponent decodeURI urldecode url_decode unquote unquote_plus url_unquote',
  'write text.escapeHtml()': 'escape html_escape htmlspecialchars htmlEscape escape_html html encode_html',
  'write text.unescapeHtml()': 'unescape html_unescape htmlUnescape html_entity_decode decode_html',
  'write text.stripHtml()': 'striptags strip_tags strip_html htmlToText html2text html_to_text',
  'write url(text).getHostname(), or domainOf(text)':
    'urlparse parse_url urlsplit URL hostname get_host host netloc url_host parseurl',
  'write registeredDomain(text)':
    'registered_domain tldextract getDomain get_domain rootDomain root_domain topPrivateDomain sld etld_plus_one',
  'write publicSuffix(text)': 'tld top_level_domain getTld get_tld suffix',
  'write cidrContains(network, ip)':
    'cidr_match cidrmatch ipInCidr ip_in_cidr inCidr ipv4_is_in_range CIDRMATCH ipaddr in_subnet in_cidr ipv4_is_match cidrMatch',
  'write isPrivateIp(ip)': 'is_private isPrivate is_private_ip ipv4_is_private is_rfc1918 isInternal',
  'write isIP(text)': 'isIPv4 isIPv6 is_ip is_ipv4 isIp valid_ip is_ipv6',
  'write left.compareTo(right), or left.isLessThan(right)':
    'compareVersions version_compare parse_version versionCompare version semver_compare compare_version',
  'write similarity(left, right), from 0 to 1':
    'fuzz ratio jaro_winkler jaroWinkler jaro fuzzy_match levenshtein_ratio similar fuzzy',
  'write levenshtein(left, right)':
    'edit_distance editDistance levenshteinDistance distance levenshtein_distance',
  'write math.round(x, 2)': 'round toFixed ROUND rnd format_number',
  'write math.floor(x)': 'floor Floor FLOOR',
  'write math.ceil(x)': 'ceil ceiling Ceiling CEIL roundup',
  'write math.abs(x)': 'abs fabs ABS absolute',
  'write math.greatest(a, b), or list.max()': 'greatest MAX maximum',
  'write math.least(a, b), or list.min()': 'least MIN minimum',
  'write math.sign(x)': 'sign signum sgn',
  'write math.sqrt(x)': 'sqrt SQRT',
  'write left % right': 'mod modulo MOD fmod rem',
  'multiply: x * x': 'pow power POW',
  'write math.bitAnd(a, b)': 'bitand binary_and band bitwise_and bitAnd',
  'write sets.intersects(a, b), or a.filter(x, x in b)':
    'intersect intersection set_intersect isdisjoint set_intersection disjoint',
  'write a.filter(x, !(x in b))':
    'difference except set_difference subtract minus without exclude setsubtract',
  'write (a + b).distinct()': 'union set_union setunion setUnion',
  'write sets.contains(all, some)':
    'issubset issuperset subset containsAll contains_all is_subset isSubsetOf',
  'write "%s of %d".format([a, b])': 'sprintf printf Sprintf string_format template interpolate fmt f',
  'write text.padStart(size)': 'rjust zfill lpad padLeft pad_left leftPad PadLeft',
  'write text.padEnd(size)': 'ljust rpad padRight pad_right rightPad PadRight',
  'write text.shorten(size)': 'ellipsis truncatechars abbreviate',
  'write strings.quote(text)': 'quote repr inspect shellescape quoted',
  'write defang(text)': 'defang_url defang_ip defangUrl defangIp',
  'write refang(text)': 'refang_url fang unfang undefang refangUrl',
  'bytes are not supported': 'bytes bytearray Buffer encode decode to_bytes blob',
  'not possible: an expression gives the same result each time':
    'random rand uuid uuid4 newid randint guid generate_uuid shuffle sample',
  'expressions cannot read secrets: skills get them from connections': 'secret getenv env vault credentials',
  'write cel.bind(name, value, expression)': 'let bind with_value',
}

const byName: ReadonlyMap<string, string> = new Map(
  Object.entries(hints).flatMap(([hint, names]) => names.split(' ').map((name) => [name, hint] as const)),
)

/** What to write for a function of another language. */
export const familiarFunction = (name: string): string | undefined => byName.get(name)

export const familiarNames = (): Iterable<readonly [name: string, hint: string]> => byName
