//// parts
const u = new URL('HTTPS://user:pa%40ss@Example.com:443/a/./b/../c d?q=a b&r=%20#frag ment'); return [u.href, u.protocol, u.username, u.password, u.host, u.hostname, u.port, u.pathname, u.search, u.hash, u.origin];
//// a password that was encoded before
const u = new URL('https://a.test/'); u.username = 'é'; u.password = encodeURIComponent('p@ss/w:é'); return [u.href, u.password];
//// hosts in other spellings
return ['http://0x7f.1/', 'http://192.168.257/', 'http://4294967295', 'http://010.0.0.1/', 'http://[::FFFF:1.2.3.4]/', 'http://256.256.256.256', 'http://1.2.3.4.5/', 'http://a%2eb/', 'http://a b/'].map((one) => URL.canParse(one) ? new URL(one).host : 'none');
//// hosts in other languages
return ['https://münchen.de/straße', 'https://日本.jp', 'https://FAß.de', 'http://xn--mnchen-3ya.de', 'https://ＧＯ.com'].map((one) => new URL(one).href);
//// setters
const u = new URL('https://a.test:8443/x?y=1#z'); u.host = 'b.test:99'; u.hostname = 'ü.test'; u.port = '8080abc'; u.pathname = 'a?b#c d'; u.search = 'x=1&y=é'; u.hash = ''; const one = u.href; u.hash = 'a b'; u.protocol = 'http'; u.port = ''; return [one, u.href];
//// setters that change nothing
const u = new URL('https://a.test/x'); u.host = ''; u.port = 'x'; u.protocol = 'mailto'; u.hostname = 'a b'; u.port = '99999'; return u.href;
//// opaque
const u = new URL('mailto:a@b.test?subject=x'); return [u.href, u.pathname, u.origin, u.host, new URL('data:text/plain,x#y').hash];
//// relative
return [['../c', 'https://a.test/x/y/z'], ['//b.test/q', 'https://a.test/'], ['?n=1', 'https://a.test/x?y'], ['#h', 'https://a.test/x?y'], ['', 'https://a.test/x?y#z'], ['https:p', 'https://a.test/x/y'], ['\\b\\c', 'https://a.test/']].map(([a, b]) => new URL(a, b).href);
//// what is none
const out = []; for (const one of ['x', '', 'http://', 'https://a b', '//a.test']) { try { new URL(one); } catch (e) { out.push([e.name, e.code, e.input]); } } return out;
//// search parameters and the url
const u = new URL('https://a.test/?a=1&a=2'); u.searchParams.append('b', 'x y'); u.searchParams.delete('a', '1'); const one = u.href; u.search = '?c=3'; return [one, [...u.searchParams], u.searchParams.size];
//// file
return [new URL('file:///C|/x/../y').href, new URL('file:a', 'file:///b/c').href, new URL('file://host/a').host];
