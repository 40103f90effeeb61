package trace

import "os"

// File returns the trace in a file of CSV, plain or compressed with gzip, whatever its name
// ends in: see [NewCSV]. It is read as a stream, anew for each replay, and ignores the seed.
// Open reads the header, so that what is no trace is refused there.
func File(path string) Trace { return file(path) }

type file string

func (f file) Open(uint64) (Reader, error) {
	open, err := os.Open(string(f))
	if err != nil {
		return nil, err
	}
	r := &fileReader{csvReader: csvReader{name: string(f), raw: open}, file: open}
	if err := r.placed(r.start()); err != nil {
		_ = open.Close()
		return nil, err
	}
	return r, nil
}

type fileReader struct {
	csvReader

	file *os.File
}

func (r *fileReader) Close() error {
	_ = r.csvReader.Close()
	return r.file.Close()
}
