// Package automation brings the recorded automations of testdata/automations to life: it
// loads them, and answers over HTTP as the outside answered each of their runs.
//
//	files, _ := fs.Sub(testdata.Automations, "automations")
//	a, err := automation.Load(files, "01-refund-report")
//	server := automation.NewServer()
//	web := httptest.NewServer(server)
//	local := a.At(web.URL)          // the same script, asking the local server
//	server.Answer(local.Runs[0])    // from now on as on its first day
package automation
