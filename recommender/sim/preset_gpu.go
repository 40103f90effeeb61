package sim

import "slices"

// A GPUPreset is one GPU as its vendor specifies it. The arithmetic is dense: vendors
// print twice as much for weights half of which are zero, which no common checkpoint has.
type GPUPreset struct {
	// Name in lower case, and other names for it.
	Name    string
	Aliases []string
	// MemoryBytes, and Bandwidth in bytes per second.
	MemoryBytes, Bandwidth float64
	// FLOPS of BF16 and FP16, and of FP8. FP8FLOPS is 0 where the card has no FP8: its
	// weights in 8 bits save memory and are computed with in 16.
	FLOPS, FP8FLOPS float64
	// Source of the figures.
	Source string
}

// GPUPresets returns the known cards.
func GPUPresets() []GPUPreset { return slices.Clone(gpuPresets) }

const (
	datasheetH100 = "NVIDIA H100 Tensor Core GPU datasheet, half of the sparse figures, https://resources.nvidia.com/en-us-tensor-core/nvidia-tensor-core-gpu-datasheet"
	datasheetH200 = "NVIDIA H200 Tensor Core GPU datasheet, half of the sparse figures, https://resources.nvidia.com/en-us-data-center-overview-mc/en-us-data-center-overview/hpc-datasheet-sc23-h200"
	datasheetB200 = "NVIDIA Blackwell datasheet, HGX B200, half of the sparse figures, https://nvdam.widen.net/s/wwnsxrhm2w/blackwell-datasheet-3384703"
	datasheetA100 = "NVIDIA A100 Tensor Core GPU datasheet, https://www.nvidia.com/content/dam/en-zz/Solutions/Data-Center/a100/pdf/nvidia-a100-datasheet-us-nvidia-1758950-r4-web.pdf"
	whitepaperGA  = "NVIDIA Ampere architecture whitepaper, https://images.nvidia.com/aem-dam/en-zz/Solutions/data-center/nvidia-ampere-architecture-whitepaper.pdf"
	datasheetL40S = "NVIDIA L40S datasheet, https://resources.nvidia.com/en-us-l40s/l40s-datasheet-28413"
	datasheetL4   = "NVIDIA L4 Tensor Core GPU datasheet, half of the sparse figures, https://resources.nvidia.com/en-us-gpu-resources/l4-tensor-datasheet"
	productMI300X = "AMD Instinct MI300X product page, https://www.amd.com/en/products/accelerators/instinct/mi300/mi300x.html"
)

var gpuPresets = []GPUPreset{
	{"h100", []string{"h100-sxm"}, 80e9, 3350e9, 1979e12 / 2, 3958e12 / 2, datasheetH100},
	{"h100-pcie", nil, 80e9, 2000e9, 1513e12 / 2, 3026e12 / 2, datasheetH100},
	{"h200", []string{"h200-sxm"}, 141e9, 4800e9, 1979e12 / 2, 3958e12 / 2, datasheetH200},
	{"b200", []string{"b200-sxm"}, 180e9, 7700e9, 4500e12 / 2, 9000e12 / 2, datasheetB200},
	{"a100-80gb", []string{"a100", "a100-sxm"}, 80e9, 2039e9, 312e12, 0, datasheetA100},
	{"a100-40gb", nil, 40e9, 1555e9, 312e12, 0, whitepaperGA},
	{"l40s", nil, 48e9, 864e9, 362.05e12, 733e12, datasheetL40S},
	{"l4", nil, 24e9, 300e9, 242e12 / 2, 485e12 / 2, datasheetL4},
	{"mi300x", nil, 192e9, 5300e9, 1307.4e12, 2614.9e12, productMI300X},
}

// apply makes r one of this card.
func (g *GPUPreset) apply(r *Replica, precision Precision) {
	r.MemoryBytes, r.Bandwidth, r.FLOPS = g.MemoryBytes, g.Bandwidth, g.FLOPS
	if precision == FP8 && g.FP8FLOPS > 0 {
		r.FLOPS = g.FP8FLOPS
	}
}
