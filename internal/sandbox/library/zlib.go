package library

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"io"

	"github.com/dop251/goja"

	"github.com/kintsugi-run/kintsugi/internal/sandbox/engine"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/webapi"
)

var _ = nodeModule("zlib", "zlib", nil, "Of Node's zlib: gzip, gunzip, deflate, inflate, deflateRaw, inflateRaw and unzip, each also with Sync, and createGzip and its kin. What is packed unpacks everywhere; its bytes are others than Node's.",
	"gzip", "gzipSync", "gunzip", "gunzipSync", "deflate", "deflateSync", "inflate", "inflateSync", "deflateRaw", "deflateRawSync", "inflateRaw", "inflateRawSync", "unzip", "unzipSync", "createGzip", "createGunzip", "createDeflate", "createInflate", "createDeflateRaw", "createInflateRaw", "createUnzip", "constants")

// compress is zlib(bytes, how): it packs or unpacks bytes, and is null for bytes that cannot be unpacked.
func compress(r *engine.Run, call goja.FunctionCall) goja.Value {
	r.Alive()
	data := webapi.DataOf(r, call.Argument(0))
	how := call.Argument(1).String()
	var out bytes.Buffer
	packing := map[string]func(io.Writer) (io.WriteCloser, error){
		"gzip":       func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriter(w), nil },
		"deflate":    func(w io.Writer) (io.WriteCloser, error) { return zlib.NewWriter(w), nil },
		"deflateRaw": func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.DefaultCompression) },
	}
	if open, packs := packing[how]; packs {
		w, err := open(&out)
		if err == nil {
			_, err = w.Write(data)
		}
		if err == nil {
			err = w.Close()
		}
		if err != nil {
			panic(r.VM.NewTypeError("zlib: %s", err.Error()))
		}
		return webapi.Octets(r, out.Bytes(), nil)
	}
	if how == "unzip" {
		how = "inflate"
		if bytes.HasPrefix(data, []byte{0x1F, 0x8B}) {
			how = "gunzip"
		}
	}
	var (
		from io.Reader
		err  error
	)
	switch how {
	case "gunzip":
		from, err = gzip.NewReader(bytes.NewReader(data))
	case "inflate":
		from, err = zlib.NewReader(bytes.NewReader(data))
	default:
		from = flate.NewReader(bytes.NewReader(data))
	}
	most := r.Limits.Memory / 4
	if err == nil {
		_, err = io.Copy(&out, io.LimitReader(from, most+1))
	}
	if err != nil {
		return goja.Null()
	}
	if int64(out.Len()) > most {
		panic(r.RangeError("there is no room for so many bytes"))
	}
	return webapi.Octets(r, out.Bytes(), nil)
}
